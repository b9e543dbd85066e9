/// A test cannot go on: what it needed did not come.
package struct RigFailure: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
