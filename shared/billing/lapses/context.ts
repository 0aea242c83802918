import type { AgentContext } from '#shared/agents/record/context.ts'
import type { Log } from '#shared/platform/log.ts'
import type { Mailer } from '#shared/platform/mail/port.ts'

/** The context of the entitlements job. */
export interface LapseContext extends AgentContext {
  log: Log
  mailer: Mailer
  adminEmails: string[]
  deployed: boolean
  /** The public URL of the web surface. */
  webUrl: string
}
