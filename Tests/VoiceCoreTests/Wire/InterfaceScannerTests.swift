import Testing

@testable import VoiceCore

@Suite struct InterfaceScannerTests {
  private func scan(_ text: String) -> [InterfaceDescription] {
    InterfaceScanner.interfaces(in: Array(text.utf8))
  }

  @Test("members, arguments, access and annotations, in any spelling XML allows")
  func spelling() throws {
    let found = scan(
      """
      <?xml version="1.0"?><!DOCTYPE node PUBLIC "x" "y">
      <node name='/a'>
       <!-- <interface name="no"> <method name="Nor"/> -->
       <interface   name = 'a.b.C' >
        <method name="Plain"/>
        <method name="Long"><arg type='a{sv}' name="in_one"/><!-- > -->
          <arg direction="out" name="out" type="(ss)"></arg><arg name="two" type="s" direction="in"/></method>
        <signal name="Told"><arg name="x" type="d"/><arg type="u"/>
          <annotation name="other" value="a &lt;b&gt; &amp;lt; &quot;&apos;"/></signal>
        <property name="P" type="s" access="readwrite"/>
        <property name="Q" type="d" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/></property>
        <property name="R" type="b" access="write"><annotation value="const"
          name="org.freedesktop.DBus.Property.EmitsChangedSignal"></annotation></property>
       </interface>
       <interface name="d.e"/>
      </node>
      """)
    #expect(found.map(\.name) == ["a.b.C", "d.e"])
    let first = try #require(found.first)
    #expect(first.methods.map(\.name) == ["Plain", "Long"])
    #expect(first.method("Plain")?.input == "")
    #expect(first.method("Long")?.input == "a{sv}s")
    #expect(first.method("Long")?.output == "(ss)")
    #expect(first.method("Long")?.inputs.map(\.name) == ["in_one", "two"])
    #expect(first.method("Nor") == nil)
    #expect(first.signal("Told")?.signature == "du")
    #expect(first.property("P")?.isWritable == true)
    #expect(first.property("P")?.change == .told)
    #expect(first.property("Q")?.isWritable == false)
    #expect(first.property("Q")?.change == .untold)
    #expect(first.property("R")?.isReadable == false)
    #expect(first.property("R")?.change == .never)
    #expect(first.xml.hasPrefix("<interface   name"))
    #expect(first.xml.hasSuffix("</interface>"))
    #expect(found.last?.xml == "<interface name=\"d.e\"/>")
  }

  @Test("no cut or damaged file hangs or traps the scanner")
  func damaged() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let whole = Array(InterfaceDescription.monitor.xml.utf8)
    for count in 0..<whole.count { _ = InterfaceScanner.interfaces(in: Array(whole.prefix(count))) }
    let marks = Array("<>\"'/=! -&".utf8)
    for _ in 0..<300 {
      var bytes = whole
      for _ in 0..<5 {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] =
          marks[Int.random(in: 0..<marks.count, using: &random)]
      }
      #expect(InterfaceScanner.interfaces(in: bytes).count <= 2, "seed \(seed)")
    }
  }

  @Test("the embedded interfaces are there, and what the contract says of some members")
  func embedded() {
    #expect(InterfaceDescription.manager.name == WireNames.manager)
    #expect(InterfaceDescription.recorder.name == WireNames.recorder)
    #expect(InterfaceDescription.monitor.name == WireNames.monitor)
    #expect(InterfaceDescription.recorder.method("Begin")?.input == "a{sv}")
    #expect(InterfaceDescription.recorder.method("Begin")?.output == "u")
    #expect(InterfaceDescription.recorder.signal("Finished")?.signature == "usdada{sv}")
    #expect(InterfaceDescription.recorder.property("CurrentLevel")?.change == .untold)
    #expect(InterfaceDescription.recorder.property("CurrentElapsed")?.change == .untold)
    #expect(InterfaceDescription.manager.property("Access")?.isWritable == true)
    #expect(InterfaceDescription.monitor.method("Close")?.input == "")
    #expect(InterfaceDescription.manager.signal("TakeFound")?.signature == "us")
  }

  @Test("an object's document has its interface, the standard ones and its children")
  func document() {
    let text = introspectionDocument(interface: .monitor, children: ["1", "22"])
    let standard = "org.freedesktop.DBus."
    #expect(
      scan(text).map(\.name) == [
        WireNames.monitor, standard + "Properties", standard + "Introspectable", standard + "Peer",
      ])
    #expect(scan(text).first == .monitor)
    #expect(text.contains("<node name=\"22\"/>"))
    #expect(scan(introspectionDocument(interface: nil, children: [])).count == 2)
  }
}
