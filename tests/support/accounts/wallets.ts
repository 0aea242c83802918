import { type Wallet } from 'ethers'
import { SiweMessage } from 'siwe'
import { routes } from '#functions/web/wallet.ts'
import { walletServices, type WalletSettings } from '#functions/web/wallet.ts'
import { createApp } from '#shared/http/app.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { startTestTable } from '../platform/table.ts'
import { newWallet } from './new-wallet.ts'

export const site = 'https://app.example.com'

interface Answer {
  status: number
  headers: Headers
  body: Record<string, unknown>
}

export interface Wallets {
  table: Table
  call(method: string, path: string, body?: unknown): Promise<Answer>
  nonce(): Promise<string>
  close(): Promise<void>
}

/** Starts the wallet function's routes over a database of their own. */
export async function startWallets(settings: Partial<WalletSettings> = {}): Promise<Wallets> {
  const { table, close } = await startTestTable()
  const app = createApp({
    surface: 'web',
    name: 'web-wallet',
    routes,
    services: walletServices(
      {
        WEB_URL: site,
        EVM_CHAIN_ID: 8453,
        EVM_RPC_URL: undefined,
        FARCASTER_AUTH_ISSUER: undefined,
        FARCASTER_RPC_URL: undefined,
        TOKEN_GATE_ADDRESS: undefined,
        TOKEN_GATE_MINIMUM: 1n,
        WALLET_ENCRYPTION_KEY: 'the key of the tests, 32 bytes long',
        ...settings,
      },
      table,
    ),
    settings: { WEB_URL: site, RATE_LIMITS: 'off' },
    table,
  })

  async function call(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await app.request(path, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json', 'user-agent': 'node' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    })
    const parsed = (await answer.json()) as Answer['body']
    return { status: answer.status, headers: answer.headers, body: parsed }
  }

  return {
    table,
    call,
    nonce: async () => String((await call('GET', '/api/auth/nonce')).body.nonce),
    close,
  }
}

/** Composes a sign-in message for the site with another library than the one that parses it. */
export function compose(fields: Partial<SiweMessage> & { address: string; nonce: string }): string {
  return new SiweMessage({
    domain: 'app.example.com',
    uri: `${site}/login`,
    version: '1',
    chainId: 8453,
    statement: 'Sign in to the platform.',
    issuedAt: new Date().toISOString(),
    ...fields,
  }).prepareMessage()
}

/** Returns the request of a wallet's software: a message, and its signature by `signer`, whose address may differ. */
export async function proof(
  wallets: Wallets,
  fields: Partial<SiweMessage> = {},
  signer: Pick<Wallet, 'address' | 'signMessage'> = newWallet(),
) {
  const address = fields.address ?? signer.address
  const message = compose({ nonce: await wallets.nonce(), ...fields, address })
  return { address, message, signature: await signer.signMessage(message) }
}
