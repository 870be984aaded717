@_exported public import CryptorFormat
