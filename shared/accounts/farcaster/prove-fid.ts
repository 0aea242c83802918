import type { Rpc } from '#shared/money/evm/client.ts'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { readMessage } from '../wallet-sign-in/message.ts'
import { proveSigned } from '../wallet-sign-in/prove.ts'
import type { FarcasterIdentity } from './identity.ts'
import { isAuthAddress, isCustodian } from './registries.ts'
import type { SignInProof } from './schema.ts'

/** OP Mainnet, the chain of the registries; every message names it, even if the site has another chain. */
const chainId = 10

/** The statements that the account's holder reads before signing; messages before FIP-11 contain the second. */
const statements = new Set(['Farcaster Auth', 'Farcaster Connect'])

export interface HasFarcaster {
  farcaster: Rpc
}

/**
 * Sign In With Farcaster (FIP-11): an EIP-4361 message whose only `farcaster://fid/<n>` resource names an account,
 * signed by its custody address, or by an auth address if the message says so (farcasterxyz/protocol, discussion
 * 225).
 * @throws PlatformError 401 for an invalid proof, 503 without FARCASTER_RPC_URL or if its node does not respond
 */
export async function proveFid(
  { table, webUrl, farcaster }: Pick<Context, 'table'> & Can<'webUrl'> & HasFarcaster,
  { message: text, signature, nonce }: SignInProof,
): Promise<FarcasterIdentity> {
  if (farcaster.url === undefined)
    throw notConfigured('Sign In With Farcaster', [farcaster.setting])
  const message = readMessage(text, { webUrl, chainId })
  if (message.nonce !== nonce) throw refused('The message has another nonce')
  if (!statements.has(message.statement)) throw refused('The statement must be Farcaster Auth')
  const fid = Number(only(message.resources, /^farcaster:\/\/fid\/([1-9]\d{0,14})\/?$/))
  if (Number.isNaN(fid)) throw refused('The message must contain one fid')
  const signer = only(message.resources, /^farcaster:\/\/signer\/type\/(\w+)\/?$/)
  await proveSigned(table, message, signature, farcaster)
  const isTheirs = signer === 'authAddress' ? isAuthAddress : isCustodian
  if (!(await isTheirs(farcaster, message.address, fid)))
    throw refused('The address may not sign in for this fid')
  return { fid, address: message.address }
}

/** Returns the value in the only resource that matches the pattern; undefined if none or several match. */
function only(resources: readonly string[], form: RegExp): string | undefined {
  const [first, second] = resources.flatMap((resource) => form.exec(resource)?.[1] ?? [])
  return second === undefined ? first : undefined
}

function refused(message: string): PlatformError {
  return new PlatformError('unauthorized', message)
}
