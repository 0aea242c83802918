import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes as sessionRoutes } from '#functions/web/accounts.ts'
import { routes as profileRoutes } from '#functions/web/profile.ts'
import type { Services as ProfileServices } from '#functions/web/profile.ts'
import { userIdentities } from '#shared/accounts/keys/identity.ts'
import { userAgentDetector } from '#shared/accounts/users/bot-detection.ts'
import { bcryptPasswords } from '#shared/accounts/users/password.ts'
import { sendReset } from '#shared/accounts/users/send-reset.ts'
import { passwordResets } from '#shared/accounts/users/topic.ts'
import { mailAskers } from '#shared/accounts/users/user-mailer.ts'
import { endAgentWebhooks } from '#shared/agents/record/config/end-webhooks.ts'
import { chosenImages } from '#shared/agents/record/image/chosen.ts'
import { createApp } from '#shared/http/app.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createMailer } from '#shared/platform/mail/create.ts'
import type { Mailer } from '#shared/platform/mail/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { startOutbox } from '#stacks/local/outbox/server.ts'
import { platformOver } from '../http/platform-over.ts'
import { startMessageQueue } from '../platform/message-queue.ts'
import { startTestTable } from '../platform/table.ts'

export const password = 'correct horse'

interface Call {
  body?: unknown
  /** Sent as the body without JSON encoding. */
  text?: string
  headers?: Record<string, string>
  ip?: string
  /** The value of the session cookie. */
  session?: string
}

export interface SentMail {
  to: string
  subject: string
  text: string
  html: string
}

export interface Accounts {
  table: Table
  call(method: string, path: string, call?: Call): Promise<Response>
  /** Registers and signs in. */
  signUp(email: string): Promise<{ id: string; session: string }>
  mails(): Promise<SentMail[]>
  /** Returns the newest mail to an address with this subject. */
  mailTo(email: string, subject: RegExp): Promise<SentMail>
  /** Handles all queued reset requests as their consumer does. */
  sendResets(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts the routes of the accounts and profile functions over a database and a mail engine of their own. Password
 * hashes are cheap.
 */
export async function startAccounts({
  mailerFor,
  ...overrides
}: Partial<ProfileServices> & {
  adminEmails?: string[]
  limits?: 'on'
  /** Makes the mailer of each request. */
  mailerFor?: (askers: string[]) => Mailer
} = {}): Promise<Accounts> {
  const dir = await mkdtemp(join(tmpdir(), 'accounts-'))
  const outboxDir = join(dir, 'outbox')
  const [database, outbox, resets] = await Promise.all([
    startTestTable(),
    startOutbox({ dir: outboxDir }),
    startMessageQueue('password-resets', join(dir, 'queues')),
  ])
  const table = overrides.table ?? database.table
  const services: ProfileServices = {
    table,
    endAgentWebhooks,
    chosenImages,
    passwords: bcryptPasswords(4),
    mailer: createMailer(loadConfig({ SES_ENDPOINT: outbox.endpoint })),
    queues: resets.queues,
    bots: userAgentDetector({ deployed: false }),
    encryptionKey: 'a key of the platform in tests',
    webUrl: 'http://localhost:3000',
    lockouts: true,
    guard: { deployed: false },
    sealer: undefined,
    ...overrides,
  }
  const app = createApp<ProfileServices>({
    surface: 'web',
    name: 'web-accounts',
    routes: [...sessionRoutes, ...profileRoutes],
    services: mailerFor
      ? (origin) => ({ ...services, mailer: mailerFor(mailAskers(origin)) })
      : services,
    settings: { WEB_URL: 'http://localhost:3000', RATE_LIMITS: overrides.limits ?? 'off' },
    identity: userIdentities(table, overrides.adminEmails ?? []),
    table,
  })

  async function call(
    method: string,
    path: string,
    { body, text, headers, ip, session }: Call = {},
  ) {
    const payload = body === undefined ? text : JSON.stringify(body)
    return app.request(
      path,
      {
        method,
        headers: {
          'user-agent': 'curl/8.9.0',
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...(session !== undefined && { cookie: `service-session=${session}` }),
          ...headers,
        },
        ...(payload !== undefined && { body: payload }),
      },
      { requestContext: { http: { sourceIp: ip ?? '198.51.100.1' } } },
    )
  }

  async function mails(): Promise<SentMail[]> {
    const files = (await readdir(outboxDir)).filter((name) => name.endsWith('.json')).sort()
    return Promise.all(
      files.map(async (name) => JSON.parse(await readFile(join(outboxDir, name), 'utf8'))),
    )
  }

  return {
    table,
    call,
    async signUp(email) {
      const { id } = await platformOver(call).auth.register({ email, password })
      const answer = await call('POST', '/api/auth/login', { body: { email, password } })
      return { id, session: sessionOf(answer) }
    },
    mails,
    async mailTo(email, subject) {
      const all = await mails()
      const mail = all.findLast((one) => one.to === email && subject.test(one.subject))
      if (mail === undefined) throw new Error(`${email} received no mail with subject ${subject}`)
      return mail
    },
    async sendResets() {
      for (const message of await resets.take()) {
        const request = passwordResets.schema().parse(message)
        const mailer = mailerFor?.(request.network === undefined ? [] : [request.network])
        await sendReset({ ...services, ...(mailer && { mailer }), again: false }, request)
      }
    },
    async close() {
      await Promise.all([database.close(), outbox.close(), resets.close()])
      await rm(dir, { recursive: true })
    },
  }
}

/** Returns the link in a mail. */
export function linkIn({ text }: SentMail): URL {
  return new URL(/https?:\S+/.exec(text)?.[0] ?? '')
}

/** Returns the value of the session cookie that a response sets. */
export function sessionOf(answer: Response): string {
  return /^service-session=([^;]*)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? ''
}
