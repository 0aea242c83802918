import canonicalize from 'canonicalize'

/**
 * Returns the signed text of a message: its RFC 8785 JSON as received, without `signature` and `metadata`. Wallets sign
 * it with EIP-191, whose prefix prevents use as a transaction. It starts with `{`, so it cannot be a sign-in text
 * (EIP-4361).
 * @param message a valid `agentMessage` or `unsignedMessage`
 */
export function signedText(message: Readonly<Record<string, unknown>>): string {
  const { signature: _signature, metadata: _metadata, ...signed } = message
  return canonicalize(signed) ?? ''
}
