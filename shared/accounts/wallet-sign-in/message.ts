import { type Address, isAddress } from 'viem'
import { parseSiweMessage, validateSiweMessage } from 'viem/siwe'
import { PlatformError } from '#shared/platform/errors.ts'

/**
 * A complete EIP-4361 message. viem finds the fields anywhere in a text; this pattern allows no text around them, so
 * that the platform reads exactly the text that the wallet displayed. The standard limits URI and statement to ASCII,
 * which excludes look-alike characters.
 */
const form = new RegExp(
  [
    /^\S+ wants you to sign in with your Ethereum account:\n0x[0-9a-fA-F]{40}\n\n/,
    /(?:[\x20-\x7e]+\n)?\n/,
    /URI: [\x21-\x7e]+\nVersion: 1\nChain ID: \d+\nNonce: [0-9A-Za-z]{8,}\nIssued At: \S+/,
    /(?:\nExpiration Time: \S+)?(?:\nNot Before: \S+)?(?:\nRequest ID: [\x21-\x7e]*)?/,
    /(?:\nResources:(?:\n- [\x21-\x7e]+)*)?$/,
  ]
    .map(({ source }) => source)
    .join(''),
)

export interface Expected {
  /** The site of the message: its host is the domain, its origin the URI's. */
  webUrl: string
  chainId: number
  /** The required signer, if the caller named one. */
  address?: string
  now?: number
}

export interface SignInMessage {
  text: string
  address: Address
  nonce: string
  statement: string
  resources: readonly string[]
}

/**
 * Parses a sign-in message and checks everything that needs neither the table nor the signature.
 * @throws PlatformError 401 for an invalid message, or for another site, chain, address or time
 */
export function readMessage(text: string, expected: Expected): SignInMessage {
  if (!form.test(text)) throw refused('it is not an EIP-4361 message')
  const message = parseSiweMessage(text)
  const { address, nonce, scheme, uri, chainId, issuedAt, statement = '', resources = [] } = message
  const site = new URL(expected.webUrl)
  if (address === undefined || nonce === undefined || !isAddress(address))
    throw refused('its address is malformed')
  if (address.toLowerCase() !== (expected.address ?? address).toLowerCase())
    throw refused('it is for another address')
  if (message.domain !== site.host || (scheme !== undefined && `${scheme}:` !== site.protocol))
    throw refused('it is for another domain')
  if (uri === undefined || !URL.canParse(uri) || new URL(uri).origin !== site.origin)
    throw refused('its URI belongs to another site')
  if (chainId !== expected.chainId) throw refused('it is for another chain')
  const time = new Date(expected.now ?? Date.now())
  if (Number.isNaN(issuedAt?.getTime()) || !validateSiweMessage({ message, time }))
    throw refused('it is not valid at this time')
  return { text, address, nonce, statement, resources }
}

function refused(reason: string): PlatformError {
  return new PlatformError('unauthorized', `The message was refused: ${reason}`)
}
