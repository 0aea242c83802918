import canonicalize from 'canonicalize'

/**
 * What a message's signature is of: its RFC 8785 JSON, as it was received but for `signature` and `metadata`. Wallets
 * sign it as EIP-191 says, whose prefix keeps it from ever being a transaction; it begins with `{`, so it is the text of no
 * sign-in either (EIP-4361).
 * @param message one whose form was checked: `agentMessage` or `unsignedMessage`
 */
export function signedText(message: Readonly<Record<string, unknown>>): string {
  const { signature: _signature, metadata: _metadata, ...signed } = message
  return canonicalize(signed) ?? ''
}
