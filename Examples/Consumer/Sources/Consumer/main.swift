#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

var checks = Checks()
checkMigratedCode(&checks)
checkNewCode(&checks)
if checks.failures > 0 {
    print("\(checks.failures) checks failed")
    exit(1)
}
print("all is well")
