import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JWTPayload } from 'jose'
import { routes } from '#functions/web/security-events.ts'
import type { Services as SecurityEventServices } from '#functions/web/security-events.ts'
import { configuredIdp } from '#shared/accounts/providers/configure.ts'
import { handleSecurityEvent } from '#shared/accounts/security-events/handle.ts'
import {
  configuredVerifier,
  type ReceiverSettings,
} from '#shared/accounts/security-events/receive.ts'
import {
  type SecurityEventMessage,
  securityEvents,
} from '#shared/accounts/security-events/topic.ts'
import { endAgentWebhooks } from '#shared/agents/record/config/end-webhooks.ts'
import { createApp } from '#shared/http/app.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import { sealer } from '#shared/platform/seal.ts'
import { startMessageQueue } from '../platform/message-queue.ts'
import { type Accounts, startAccounts } from './accounts.ts'
import { encryptionKey, webUrl } from './sign-in.ts'

const clientIds = ['platform-web', 'platform-app']

const base = 'https://schemas.openid.net/secevent'

/** The standard URI of an event's short name. */
export function eventUri(name: string): string {
  return `${base}/${name === 'tokens-revoked' ? 'oauth' : 'risc'}/event-type/${name}`
}

export interface SecurityEvents {
  accounts: Accounts
  /** Posts a body to a receiver. */
  post(body: string, path?: string, headers?: Record<string, string>): Promise<Response>
  get(path: string): Promise<Response>
  /** Takes all messages from the queue. */
  take(): Promise<SecurityEventMessage[]>
  /** Handles these messages in this order, as the consumer does. */
  handle(messages: readonly SecurityEventMessage[]): Promise<void>
  close(): Promise<void>
}

/**
 * Starts the receivers' routes together with the accounts' routes, over engines of their own. Messages stay in the
 * queue until the test takes them.
 */
export async function startSecurityEvents(
  settings: Partial<ReceiverSettings> & { IDP_CLIENT_SECRET?: string },
  accounts?: Accounts,
): Promise<SecurityEvents> {
  const dir = await mkdtemp(join(tmpdir(), 'security-events-'))
  const [own, queue] = await Promise.all([
    accounts ?? startAccounts(),
    startMessageQueue('security-events', dir),
  ])
  const all = { ...loadConfig({}), WEB_URL: webUrl, IDP_CLIENT_ID: clientIds, ...settings }
  const app = createApp<SecurityEventServices>({
    surface: 'web',
    name: 'web-security-events',
    routes,
    services: { queues: queue.queues, verifier: configuredVerifier(all), webUrl },
    settings: { WEB_URL: webUrl },
  })
  const context = {
    actor: { type: 'provider' } as const,
    table: own.table,
    endAgentWebhooks,
    sealer: sealer(encryptionKey),
    revoke: configuredIdp(all)?.revoke,
    log: createLog(),
  }
  return {
    accounts: own,
    post: async (body, path = '/api/security/risc', headers = {}) =>
      app.request(path, { method: 'POST', body, headers }),
    get: async (path) => app.request(path),
    take: async () => (await queue.take()).map((message) => securityEvents.schema().parse(message)),
    async handle(messages) {
      for (const message of messages)
        await handleSecurityEvent({ ...context, requestId: message.jti }, message)
    },
    async close() {
      await queue.close()
      if (accounts === undefined) await own.close()
      await rm(dir, { recursive: true })
    },
  }
}

let tokens = 0

/** Returns the claims of a valid token with one event. */
export function claimsOf(issuer: string, name: string, data: object = {}): JWTPayload {
  return {
    iss: issuer,
    aud: 'platform-web',
    iat: Math.floor(Date.now() / 1000),
    jti: `token-${++tokens}`,
    events: { [eventUri(name)]: data },
  }
}
