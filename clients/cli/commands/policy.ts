import { buildRouteMap } from '@stricli/core'
import type { Policy, PolicyTestResult } from '../../typescript/index.ts'
import { agentId } from '../agent.ts'
import type { Cli } from '../cli.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'

const change = {
  preset: flag.text('open, guarded or locked'),
  input: flag.text('The whole policy as JSON; - reads it from standard input'),
}

interface ChangeFlags {
  preset?: string | undefined
  input?: string | undefined
}

/** Returns the policy that the flags describe; a preset alone keeps the rules. */
async function changed(
  cli: Cli,
  { preset, input }: ChangeFlags,
  current: () => Promise<Policy>,
): Promise<object> {
  const text = input === '-' ? await cli.input() : input
  if (text === undefined) return { ...(await current()), ...(preset !== undefined && { preset }) }
  try {
    return { ...(JSON.parse(text) as object), ...(preset !== undefined && { preset }) }
  } catch {
    throw new CommandError(exitCodes.usage, 'The policy is not JSON')
  }
}

export const policy = buildRouteMap({
  docs: { brief: 'Decide what an agent may do without asking' },
  routes: {
    show: command(
      { brief: 'Show the policy of an agent in words; with --json, as JSON', args: ['agent'] },
      async (cli, flags, nameOrId = '') => {
        const params = { id: await agentId(cli, flags, nameOrId) }
        if (flags.json) {
          cli.json(await cli.ask<Policy>(flags, 'GET /api/agents/{id}/policy', { params }))
          return
        }
        const input = { params, body: { days: 1 } }
        const test = await cli.ask<PolicyTestResult>(
          flags,
          'POST /api/agents/{id}/policy/test',
          input,
        )
        cli.out(test.sentences.join('\n'))
      },
    ),
    set: command(
      { brief: 'Set the policy of an agent', args: ['agent'], flags: change },
      async (cli, flags, nameOrId = '') => {
        if (flags.preset === undefined && flags.input === undefined)
          throw new CommandError(exitCodes.usage, 'set needs --preset or --input')
        const params = { id: await agentId(cli, flags, nameOrId) }
        const body = await changed(cli, flags, () =>
          cli.ask<Policy>(flags, 'GET /api/agents/{id}/policy', { params }),
        )
        const stored = await cli.ask<Policy>(flags, 'PUT /api/agents/{id}/policy', { params, body })
        cli.show(flags, stored, () => `${stored.preset}, ${stored.rules.length} rules`)
      },
    ),
    test: command(
      {
        brief: 'Show what a policy would have decided in the last days; changes nothing',
        args: ['agent'],
        flags: { ...change, days: flag.number('1 to 30; default 30') },
      },
      async (cli, flags, nameOrId = '') => {
        const { days = 30, ...given } = flags
        const params = { id: await agentId(cli, flags, nameOrId) }
        const body = { days, ...(await changed(cli, given, async () => ({}) as Policy)) }
        const test = await cli.ask<PolicyTestResult>(flags, 'POST /api/agents/{id}/policy/test', {
          params,
          body,
        })
        if (flags.json) {
          cli.json(test)
          return
        }
        const rows = test.records.map(({ target, ...record }) => ({
          ...record,
          target: Object.values(target).join(' '),
        }))
        cli.list(flags, rows, ['at', 'then', 'rule', 'action', 'target'])
        const { allow, ask, deny } = test.counts
        cli.say(`${allow} allowed, ${ask} asked, ${deny} denied`)
      },
    ),
  },
})
