import { buildRouteMap } from '@stricli/core'
import type { AgentDetail } from '../../typescript/index.ts'
import { agentId } from '../agent.ts'
import { openInBrowser } from '../browser.ts'
import type { Cli, CommonFlags } from '../cli.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'

const name = ['agent'] as const

const ls = command(
  {
    brief: 'List agents',
    flags: { deleted: flag.yes('Deleted agents that `snapshots restore` can restore') },
  },
  async (cli, flags) => {
    const query = flags.deleted ? { deleted: 'true' } : {}
    const { agents } = await cli.ask(flags, 'GET /api/agents', { query })
    const living = ['id', 'name', 'status', 'model', 'createdAt']
    cli.list(flags, agents, flags.deleted ? ['id', 'name', 'deletedAt', 'snapshotId'] : living)
  },
)

async function detailOf(cli: Cli, flags: CommonFlags, id: string) {
  return cli.ask<{ agent: AgentDetail }>(flags, 'GET /api/agents/{id}', { params: { id } })
}

function wordsOf(agent: object): string {
  return Object.entries(agent)
    .filter(([, value]) => value !== null && typeof value !== 'object')
    .map(([key, value]) => `${key.padEnd(16)}${String(value)}`)
    .join('\n')
}

/** Returns the fields of an agent or its config, and the warnings of the response. */
function withWarnings(fields: object, warnings: AgentDetail['warnings'] = []): string {
  return [wordsOf(fields), ...warnings.map(({ message }) => `Warning: ${message}`)].join('\n')
}

const get = command({ brief: 'Show an agent', args: name }, async (cli, flags, nameOrId) => {
  const answer = await detailOf(cli, flags, await agentId(cli, flags, nameOrId ?? ''))
  cli.show(flags, answer, () => withWarnings(answer.agent, answer.agent.warnings))
})

const create = command(
  {
    brief: 'Create an agent and start it',
    args: ['name'],
    flags: {
      model: flag.text('The model of the agent'),
      wait: flag.yes('Wait until the agent runs'),
    },
  },
  async (cli, flags, called) => {
    const made = await cli.ask<{ agent: { id: string } }>(flags, 'POST /api/agents/provision', {
      body: { name: called, model: flags.model },
    })
    const { id } = made.agent
    if (flags.wait) {
      const platform = await cli.platform(flags)
      await platform.agents.waitUntil(id, 'running', { signal: cli.signal })
    }
    cli.show(flags, flags.wait ? await detailOf(cli, flags, id) : made, () => id)
  },
)

function lifecycle(verb: 'start' | 'stop' | 'restart' | 'repair', brief: string) {
  return command({ brief, args: name }, async (cli, flags, nameOrId) => {
    const params = { agentId: await agentId(cli, flags, nameOrId ?? '') }
    const answer = await cli.ask(flags, `POST /api/instance/{agentId}/${verb}`, { params })
    cli.show(flags, answer, () => String(answer.status))
  })
}

const start = lifecycle('start', 'Start an agent')
const stop = lifecycle('stop', 'Stop an agent')
const restart = lifecycle('restart', 'Stop an agent and start it again')
const repair = lifecycle('repair', 'Start an agent in a new container, from any state')

const rm = command(
  { brief: 'Delete an agent', args: name, flags: { yes: flag.yes('Do not ask for confirmation') } },
  async (cli, flags, nameOrId = '') => {
    const id = await agentId(cli, flags, nameOrId)
    await cli.confirm(flags.yes, `Deleting ${nameOrId}`, `agents rm ${nameOrId}`)
    const answer = await cli.ask(flags, 'DELETE /api/agents/{id}', { params: { id } })
    cli.show(flags, answer, () => id)
  },
)

const open = command(
  { brief: 'Open an agent’s web page in the browser', args: name },
  async (cli, flags, nameOrId = '') => {
    const params = { id: await agentId(cli, flags, nameOrId) }
    const ticket = await cli.ask(flags, 'POST /api/agents/{id}/ticket', { params })
    cli.show(flags, ticket, () => String(ticket.url))
    if (cli.isInteractive) await openInBrowser(cli, String(ticket.url))
  },
)

const incidents = command(
  { brief: 'List the incidents of an agent', args: name },
  async (cli, flags, nameOrId = '') => {
    const { agent } = await detailOf(cli, flags, await agentId(cli, flags, nameOrId))
    const found = agent.watchdog.incidents
    cli.list(flags, found, ['at', 'cause', 'step', 'attempt', 'resolvedAt'])
  },
)

/** Parses `key=value` as text and `key:=<JSON>` as JSON. */
export function fieldsOf(pairs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(fieldOf))
}

function fieldOf(pair: string): [string, unknown] {
  const [, key = '', isJson, value = ''] = /^([^=:]+)(:?)=([^]*)$/.exec(pair) ?? []
  if (key === '') throw new CommandError(exitCodes.usage, `${pair} is not key=value`)
  return [key, isJson === ':' ? jsonOf(value) : value]
}

function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value) as unknown
  } catch {
    throw new CommandError(exitCodes.usage, `${value} is not JSON`)
  }
}

interface ConfigAnswer extends Pick<AgentDetail, 'warnings'> {
  config: Record<string, unknown>
}

async function configOf(cli: Cli, flags: CommonFlags, nameOrId: string) {
  const params = { id: await agentId(cli, flags, nameOrId) }
  const answer = await cli.ask<ConfigAnswer>(flags, 'GET /api/agents/{id}/config', { params })
  return { params, answer }
}

const configFlags = { noApply: flag.yes('Do not restart the agent') }

async function change(
  cli: Cli,
  flags: CommonFlags & { noApply: boolean },
  nameOrId: string,
  changed: (config: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  const { params, answer } = await configOf(cli, flags, nameOrId)
  const after = await cli.ask<ConfigAnswer>(flags, 'PUT /api/agents/{id}/config', {
    params,
    query: { apply: flags.noApply ? 'false' : undefined },
    body: { config: changed(answer.config) },
  })
  cli.show(flags, after, () => withWarnings(after.config, after.warnings))
}

const config = buildRouteMap({
  docs: { brief: 'Read and change the config of an agent' },
  routes: {
    get: command(
      { brief: 'Show the config, or one key of it', args: ['agent', 'key?'] },
      async (cli, flags, nameOrId = '', key) => {
        const { answer } = await configOf(cli, flags, nameOrId)
        cli.show(flags, answer, () =>
          key === undefined
            ? withWarnings(answer.config, answer.warnings)
            : String(answer.config[key] ?? ''),
        )
      },
    ),
    set: command(
      { brief: 'Set keys of the config', args: ['agent', 'key=value…'], flags: configFlags },
      (cli, flags, nameOrId = '', ...pairs) =>
        change(cli, flags, nameOrId, (now) =>
          Object.fromEntries(
            Object.entries(fieldsOf(pairs)).map(([key, value]) => [
              key,
              likeBefore(now[key], key, value),
            ]),
          ),
        ),
    ),
    unset: command(
      { brief: 'Remove keys from the config', args: ['agent', 'key…'], flags: configFlags },
      (cli, flags, nameOrId = '', ...keys) =>
        change(cli, flags, nameOrId, () => Object.fromEntries(keys.map((key) => [key, null]))),
    ),
  },
})

const numbers = new Set(['sleepAfterMinutes', 'spendCapUsd', 'spendCapUsdPerDay'])

/** Converts the shell's text to a number or boolean if the key has one in the config. */
function likeBefore(before: unknown, key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value === 'true' || value === 'false')
    return typeof before === 'string' ? value : value === 'true'
  const isNumber = numbers.has(key) || typeof before === 'number'
  return isNumber && value !== '' && Number.isFinite(Number(value)) ? Number(value) : value
}

/** The commands on agents. */
export const verbs = {
  ls,
  get,
  create,
  start,
  stop,
  restart,
  repair,
  rm,
  open,
  config,
  incidents,
}
