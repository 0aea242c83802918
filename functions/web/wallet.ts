import * as z from 'zod'
import type { QuickAuth } from '#shared/accounts/farcaster/identity.ts'
import type { HasFarcaster } from '#shared/accounts/farcaster/prove-fid.ts'
import {
  endpointDescription,
  farcasterProof,
  farcasterSession,
  refreshRequest,
} from '#shared/accounts/farcaster/schema.ts'
import type { TokenGate } from '#shared/accounts/token-gating/gate.ts'
import { gateAnswer, gateRequest } from '#shared/accounts/token-gating/schema.ts'
import {
  type BotDetector,
  refuseBots,
  userAgentDetector,
} from '#shared/accounts/users/bot-detection.ts'
import { newNonce } from '#shared/accounts/wallet-sign-in/nonce.ts'
import { walletProof, walletSignedIn } from '#shared/accounts/wallet-sign-in/schema.ts'
import { signInWithWallet, type WalletChain } from '#shared/accounts/wallet-sign-in/sign-in.ts'
import { routesWith, type RequestContext } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Settings } from '#shared/platform/config/settings.ts'
import type { PublicActor } from '#shared/platform/identity/actor.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { setSession } from './accounts/cookie.ts'
import { deviceOf } from './accounts/device.ts'
import { rememberBrowser } from './accounts/known-browser.ts'

export type Services = Pick<Context, 'table'> &
  Can<'encryptionKey' | 'webUrl'> &
  HasFarcaster &
  WalletChain & {
    gate: TokenGate
    quickAuth: QuickAuth
    /** True if FARCASTER_AUTH_ISSUER is set. */
    quickAuthConfigured: boolean
    bots: BotDetector
  }

const route = routesWith<Services>()

export type WalletSettings = Pick<
  Settings,
  | 'EVM_CHAIN_ID'
  | 'EVM_RPC_URL'
  | 'FARCASTER_AUTH_ISSUER'
  | 'FARCASTER_RPC_URL'
  | 'TOKEN_GATE_ADDRESS'
  | 'TOKEN_GATE_MINIMUM'
  | 'WALLET_ENCRYPTION_KEY'
  | 'WEB_URL'
> & { deployed?: boolean }

export function walletServices(settings: WalletSettings, table: Table): Services {
  const evm = { url: settings.EVM_RPC_URL, setting: 'EVM_RPC_URL' } as const
  return {
    table,
    webUrl: settings.WEB_URL,
    chainId: settings.EVM_CHAIN_ID,
    evm,
    gate: {
      evm,
      tokenAddress: settings.TOKEN_GATE_ADDRESS,
      minimum: settings.TOKEN_GATE_MINIMUM,
    },
    farcaster: { url: settings.FARCASTER_RPC_URL, setting: 'FARCASTER_RPC_URL' },
    quickAuth: lazyQuickAuth(settings),
    quickAuthConfigured: settings.FARCASTER_AUTH_ISSUER !== undefined,
    encryptionKey: settings.WALLET_ENCRYPTION_KEY,
    bots: userAgentDetector({ deployed: settings.deployed === true }),
  }
}

/** Loads jose with the first token and then caches the issuer's keys. */
function lazyQuickAuth({ FARCASTER_AUTH_ISSUER, WEB_URL }: WalletSettings): QuickAuth {
  let loaded: Promise<QuickAuth> | undefined
  return async (token) => {
    loaded ??= import('#shared/accounts/farcaster/quick-auth.ts').then(({ remoteQuickAuth }) =>
      remoteQuickAuth(FARCASTER_AUTH_ISSUER, WEB_URL),
    )
    return (await loaded)(token)
  }
}

/** Each nonce is stored for ten minutes. */
const nonces = [{ scope: 'nonces', perMinute: 120 }]

/** The limit for all kinds of proofs together. A well-formed proof can cost a call to the chain. */
const proofs = [{ scope: 'wallet-proofs', perMinute: 60 }]

const shared = {
  path: '/api/auth/nonce',
  summary: 'Create a sign-in nonce',
  description: 'Valid for 10 minutes and for one message.',
  tag: 'accounts',
  guard: 'none',
  limits: nonces,
  response: z.object({ nonce: z.string() }),
  errors: ['internal', 'too-many-requests'],
  handle: async ({ table }: RequestContext<PublicActor> & Services) =>
    // A proxy must not cache the response, because two callers must never share a nonce.
    Response.json(
      { nonce: await newNonce({ table }) },
      { headers: { 'cache-control': 'no-store' } },
    ),
} as const

/** Loaded on the first use, because most requests to this function are wallet sign-ins. */
const farcaster = () => import('#shared/accounts/farcaster/verify.ts')

const verifyPath = '/api/auth/farcaster/verify'
const refreshPath = '/api/auth/farcaster/refresh'

const path = '/api/auth/token-gating/verify'

export const routes = [
  route({
    name: 'wallet.nonce',
    method: 'GET',
    ...shared,
  }),

  route({
    name: 'wallet.createNonce',
    method: 'POST',
    notAudited: 'creates a nonce to sign',
    ...shared,
  }),

  route({
    name: 'wallet.signIn',
    method: 'POST',
    path: '/api/wallet-auth',
    summary: 'Sign in with a wallet (Sign-In with Ethereum)',
    tag: 'accounts',
    guard: 'none',
    limits: proofs,
    body: walletProof,
    response: walletSignedIn,
    errors: [
      'bad-request',
      'unauthorized',
      'forbidden',
      'too-many-requests',
      'internal',
      'unavailable',
    ],
    codes: ['BOT_DETECTED'],
    audits: ['account.created'],
    handle: async (context, { body }) => {
      const device = deviceOf(context)
      const userAgent = context.request.headers.get('user-agent') ?? undefined
      const ctx = {
        ...context,
        device,
        refuseBots: () => refuseBots(context.bots, { userAgent, honeypot: undefined }),
      }
      const { user, session } = await signInWithWallet(ctx, body)
      const answer: z.input<typeof walletSignedIn> = { ok: true, user }
      const cookies = [setSession(session, context.webUrl)]
      cookies.push(...(await rememberBrowser(context, user.id)))
      return Response.json(answer, { headers: cookies.map((each) => ['set-cookie', each]) })
    },
  }),

  route({
    name: 'farcaster.describe',
    method: 'GET',
    path: verifyPath,
    summary: 'Describe the Farcaster sign-in',
    tag: 'accounts',
    guard: 'none',
    response: endpointDescription,
    errors: [],
    handle: ({ farcaster, quickAuthConfigured, encryptionKey }) => ({
      endpoint: verifyPath,
      method: 'POST',
      description: 'Opens a session by a Sign In With Farcaster message or a quick-auth token',
      accepts: [
        {
          fields: ['message', 'signature', 'nonce'],
          configured: farcaster.url !== undefined && encryptionKey !== undefined,
        },
        { fields: ['token'], configured: quickAuthConfigured && encryptionKey !== undefined },
      ],
    }),
  }),

  route({
    name: 'farcaster.verify',
    method: 'POST',
    path: verifyPath,
    summary: 'Sign in with a Farcaster account',
    tag: 'accounts',
    guard: 'none',
    limits: proofs,
    body: farcasterProof,
    response: farcasterSession,
    errors: ['bad-request', 'unauthorized', 'internal', 'unavailable'],
    notAudited: 'creates no account or session: its token is signed and not stored',
    handle: async (context, { body }) => (await farcaster()).verifyFarcaster(context, body),
  }),

  route({
    name: 'farcaster.describeRefresh',
    method: 'GET',
    path: refreshPath,
    summary: 'Describe the session token refresh',
    tag: 'accounts',
    guard: 'none',
    response: endpointDescription,
    errors: [],
    handle: ({ encryptionKey }) => ({
      endpoint: refreshPath,
      method: 'POST',
      description: 'Exchanges a session token that has not expired for a new one',
      accepts: [{ fields: ['sessionToken'], configured: encryptionKey !== undefined }],
    }),
  }),

  route({
    name: 'farcaster.refresh',
    method: 'POST',
    path: refreshPath,
    summary: 'Refresh a session token',
    description: 'The token must not have expired.',
    tag: 'accounts',
    guard: 'none',
    limits: proofs,
    body: refreshRequest,
    response: farcasterSession,
    errors: ['bad-request', 'unauthorized', 'internal', 'unavailable'],
    notAudited: 'creates no account or session: its token is signed and not stored',
    handle: async (context, { body }) =>
      (await farcaster()).refreshFarcaster(context, body.sessionToken),
  }),

  route({
    name: 'tokenGating.describe',
    method: 'GET',
    path,
    summary: 'Describe the token gate',
    tag: 'accounts',
    guard: 'none',
    response: endpointDescription,
    errors: [],
    handle: ({ gate }) => ({
      endpoint: path,
      method: 'POST',
      description: 'Proves by a signed message and balanceOf that a wallet holds enough of a token',
      accepts: [
        {
          fields: ['address', 'message', 'signature'],
          configured: gate.evm.url !== undefined && gate.tokenAddress !== undefined,
        },
        {
          fields: ['address', 'message', 'signature', 'tokenAddress', 'minimumBalance'],
          configured: gate.evm.url !== undefined,
        },
      ],
    }),
  }),

  route({
    name: 'tokenGating.verify',
    method: 'POST',
    path,
    summary: 'Verify that a wallet holds a token',
    tag: 'accounts',
    guard: 'none',
    limits: proofs,
    body: gateRequest,
    response: gateAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'internal', 'unavailable'],
    notAudited: 'reads a chain',
    handle: async (context, { body }) => {
      // Loaded on the first use, so that wallet sign-in starts without the contract encoders.
      const { verifyHolder } = await import('#shared/accounts/token-gating/verify.ts')
      return verifyHolder(context, body)
    },
  }),
]

export function wire(config: ConfigOf<'web-wallet'>): Wiring<Services> {
  const table = openTable(config)
  return {
    services: walletServices(config, table),
    table,
  }
}
