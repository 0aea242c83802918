import { type Application, buildApplication, buildRouteMap } from '@stricli/core'
import type { Context } from './command.ts'
import { login, logout, webhooks, whoami } from './commands/account.ts'
import { verbs } from './commands/agents.ts'
import { api } from './commands/api.ts'
import { approvals } from './commands/approvals.ts'
import { archives } from './commands/archives.ts'
import { runs, swarms, tasks } from './commands/automation.ts'
import { channels } from './commands/channels.ts'
import { connections } from './commands/connections.ts'
import { cap, estimate, models, status, usage } from './commands/figures.ts'
import { files } from './commands/files.ts'
import { init } from './commands/init.ts'
import { keys } from './commands/keys.ts'
import { mcp } from './commands/mcp.ts'
import { mandate, payments } from './commands/payments.ts'
import { policy } from './commands/policy.ts'
import { chat, logs } from './commands/talk.ts'
import { credentials, memory, senders, skills, snapshots } from './commands/workspace.ts'
import { completion } from './completion.ts'

const routes = {
  login,
  logout,
  whoami,
  init,
  ...verbs,
  ...archives,
  chat,
  logs,
  files,
  memory,
  skills,
  credentials,
  senders,
  channels,
  connections,
  policy,
  approvals,
  tasks,
  swarms,
  snapshots,
  keys,
  webhooks,
  usage,
  cap,
  mandate,
  payments,
  estimate,
  runs,
  models,
  status,
  api,
  mcp,
  completion,
}

export const app: Application<Context> = buildApplication(
  buildRouteMap({ routes, docs: { brief: 'Manage AI agents from the command line' } }),
  {
    name: 'agents',
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    documentation: { caseStyle: 'convert-camel-to-kebab', useAliasInUsageLine: true },
    localization: { defaultLocale: 'en' },
  },
)
