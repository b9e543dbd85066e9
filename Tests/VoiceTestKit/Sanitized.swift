import Glibc

/// Whether everything is built with a sanitizer, as `tools/sanitize` says: then freed memory is kept for
/// a while, and how much there is tells nothing.
package let isSanitized = getenv("VOICED_SANITIZED") != nil
