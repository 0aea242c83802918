import type { AgentContext } from '#shared/agents/record/context.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'

/** The context of the entitlements job. */
export type DowngradeContext = AgentContext &
  Pick<Context, 'log'> &
  Can<'mailer' | 'adminEmails' | 'deployed' | 'webUrl'>
