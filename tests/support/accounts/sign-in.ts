import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '#functions/web/providers.ts'
import type { Services as ProviderServices } from '#functions/web/providers.ts'
import { configuredProviders, type ProviderSettings } from '#shared/accounts/providers/configure.ts'
import { userMailer } from '#shared/accounts/users/user-mailer.ts'
import { findUserByEmail, type User } from '#shared/accounts/users/user.ts'
import { endAgentWebhooks } from '#shared/agents/record/config/end-webhooks.ts'
import { createApp } from '#shared/http/app.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { openMail } from '#shared/platform/mail/open.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import { mails } from '#shared/platform/mail/topic.ts'
import { sealer } from '#shared/platform/seal.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { platformOver } from '../http/platform-over.ts'
import { startMessageQueue } from '../platform/message-queue.ts'
import { type Accounts, startAccounts } from './accounts.ts'
import { type Browser, startBrowser } from './browser.ts'

export const webUrl = 'http://localhost:3000'
export const encryptionKey = 'a key of the tests, which is long enough'

export interface SignIn {
  accounts: Accounts
  browser(): Browser
  /** Sends one request without cookies. */
  request(path: string, headers?: Record<string, string>): Promise<Response>
  /** Returns the user whom a browser is signed in as, by the session route. */
  whoIs(browser: Browser): Promise<{ id: string; email: string } | null>
  userOf(email: string): Promise<User | undefined>
  /** Returns every row of a user, by sort key. */
  rowsOf(userId: string): Promise<Map<string, Item>>
  /** Returns the mails since the last call. */
  mails(): Promise<Mail[]>
  close(): Promise<void>
}

/** Starts the routes of sign-in by other providers together with the accounts' routes, over engines of their own. */
export async function startSignIn(
  settings: Partial<ProviderSettings>,
  overrides: Partial<ProviderServices> = {},
): Promise<SignIn> {
  const dir = await mkdtemp(join(tmpdir(), 'sign-in-'))
  const [accounts, queue] = await Promise.all([startAccounts(), startMessageQueue('mails', dir)])
  const { table } = accounts
  const seals = sealer(encryptionKey)
  const WEB_URL = settings.WEB_URL ?? webUrl
  const app = createApp<ProviderServices>({
    surface: 'web',
    name: 'web-providers',
    routes,
    services: {
      table,
      endAgentWebhooks,
      mailer: userMailer({ table, queues: queue.queues, sealer: seals }),
      encryptionKey,
      webUrl: WEB_URL,
      sealer: seals,
      providers: configuredProviders({ ...loadConfig({}), WEB_URL, ...settings }),
      ...overrides,
    },
    settings: { WEB_URL, RATE_LIMITS: 'off' },
    table,
  })

  return {
    accounts,
    browser: () => startBrowser(WEB_URL, async (request) => app.fetch(request)),
    request: async (path, headers = {}) => app.request(WEB_URL + path, { headers }),
    async whoIs(browser) {
      const session = browser.cookie('service-session') ?? ''
      return platformOver(accounts.call, { session }).auth.session()
    },
    userOf: (email) => findUserByEmail(table, email),
    async rowsOf(userId) {
      const { items } = await table.query({ pk: userPartition(userId) })
      return new Map(items.map((item) => [item.sk, item]))
    },
    async mails() {
      const messages = await queue.take()
      return Promise.all(messages.map((one) => openMail(mails.schema().parse(one), seals)))
    },
    async close() {
      await Promise.all([accounts.close(), queue.close()])
      await rm(dir, { recursive: true })
    },
  }
}
