import { getAddress, type Hex, isAddress } from 'viem'
import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import { sendRequest } from '#shared/platform/http-client/client.ts'
import { targetOf } from '#shared/platform/http-client/connections.ts'
import { requireSecure } from '#shared/platform/http-client/secure.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import { once } from '#shared/platform/once.ts'
import type { Custodian } from '../port.ts'
import { apiKey, walletKey } from './keys.ts'
import { bearerToken, type SignedRequest, walletToken } from './tokens.ts'

export interface CoinbaseSettings {
  deployed: boolean
  /** The origin of the API. */
  apiUrl: string
  keyId: string
  keySecret: string
  walletSecret: string
}

/** The timeout of one request. Two requests stay well below a function's limit of 29 s. */
const totalMs = 10_000

/** The maximum size of a response. An account has a few hundred bytes. */
const maxBytes = 65_536

const account = once(() =>
  z.object({
    name: z.string(),
    address: z
      .string()
      .refine((text) => isAddress(text))
      .transform((text) => getAddress(text)),
  }),
)

/**
 * Returns a custodian on Coinbase's CDP API v2. Account names are unique in a project, so an agent's account is found
 * by its name even if the response to its creation was lost.
 */
export function coinbase(settings: CoinbaseSettings): Custodian {
  const accounts = new URL(
    '/platform/v2/evm/accounts',
    requireSecure(new URL(settings.apiUrl), settings.deployed),
  )
  const signedBy = apiKey(settings.keySecret)
  const walletSignedBy = walletKey(settings.walletSecret)

  async function ask(
    request: SignedRequest,
    headers: Record<string, string>,
    body?: Record<string, string>,
  ): Promise<Answer> {
    const token = await bearerToken(signedBy, settings.keyId, request)
    try {
      const answer = await sendRequest({
        target: targetOf(request.url.href),
        method: request.method,
        headers: { ...headers, authorization: `Bearer ${token}` },
        json: body,
        timeouts: { totalMs },
        maxBytes,
      })
      const { status, headers: received } = answer
      return { status, retryAfter: received['retry-after'], text: String(await answer.whole()) }
    } catch (cause) {
      throw failed('The custodian does not respond', cause)
    }
  }

  async function create(name: string): Promise<Answer> {
    const request = { method: 'POST', url: accounts } as const
    const body = { name }
    const auth = await walletToken(walletSignedBy, request, body)
    return ask(request, { 'x-wallet-auth': auth, 'x-idempotency-key': name }, body)
  }

  return {
    async accountOf(agentId) {
      const name = accountName(agentId)
      const made = await create(name)
      // 409: the name is in use, or a request with this key is in progress. 422: the key was used with another body.
      if (made.status !== 409 && made.status !== 422) return addressIn(made, name)
      const url = new URL(`${accounts.pathname}/by-name/${name}`, accounts)
      const found = await ask({ method: 'GET', url }, {})
      if (found.status === 404) throw busy('The custodian is still creating the wallet', found)
      return addressIn(found, name)
    },
  }
}

interface Answer {
  status: number
  retryAfter: string | undefined
  text: string
}

/** Returns the account's name. Coinbase allows at most 36 letters, digits and hyphens. */
function accountName(agentId: string): string {
  return agentId.replaceAll('_', '-')
}

/** @throws PlatformError 502 or 503 if the response is not such an account */
function addressIn(answer: Answer, name: string): Hex {
  const { status, text } = answer
  if (status === 429 || status === 503) throw busy('The custodian is busy', answer)
  if (status === 401 || status === 402 || status === 403)
    throw new PlatformError('unavailable', 'The custodian rejects the platform’s keys or account', {
      cause: new Error(`it answered ${status}`),
    })
  if (!isSuccess(status))
    throw failed('The custodian created no wallet', new Error(`it answered ${status}`))
  const parsed = account().safeParse(jsonIn(text))
  if (!parsed.success || parsed.data.name !== name)
    throw failed(
      'The custodian’s response is not the requested wallet',
      new Error('another format or name'),
    )
  return parsed.data.address
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failed(message: string, cause: unknown): PlatformError {
  return new PlatformError('bad-gateway', `${message}; try again`, { cause })
}

/** The default Retry-After in seconds, if the custodian sends no valid number. */
const patience = '5'

function busy(message: string, { status, retryAfter = '' }: Answer): PlatformError {
  return new PlatformError('unavailable', `${message}; try again`, {
    headers: { 'retry-after': /^\d{1,5}$/.test(retryAfter) ? retryAfter : patience },
    cause: new Error(`it answered ${status}`),
  })
}
