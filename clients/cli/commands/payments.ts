import { buildRouteMap } from '@stricli/core'
import { agentId } from '../agent.ts'
import type { Cli, CommonFlags } from '../cli.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'
import { csvOf } from '../table.ts'

const agent = ['agent'] as const

const namesIn = (text: string | undefined) => text?.split(',').filter((name) => name !== '')

/** Prints a mandate as one field a line. */
function show(cli: Cli, flags: CommonFlags, mandate: object): void {
  cli.show(flags, mandate, () =>
    Object.entries(mandate)
      .map(([name, value]) => `${name.padEnd(18)}${textOf(value)}`)
      .join('\n'),
  )
}

function textOf(value: unknown): string {
  if (value === null) return '-'
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value)
}

/** Manages the limits of an agent’s payments by x402. */
export const mandate = buildRouteMap({
  docs: { brief: 'Manage what an agent may pay' },
  routes: {
    show: command({ brief: 'Show the mandate', args: agent }, async (cli, flags, nameOrId = '') => {
      const params = { id: await agentId(cli, flags, nameOrId) }
      show(cli, flags, await cli.ask(flags, 'GET /api/agents/{id}/mandate', { params }))
    }),
    set: command(
      {
        brief: 'Set the mandate, in USD; replaces the earlier one',
        args: agent,
        flags: {
          payment: flag.text('The largest payment'),
          day: flag.text('The sum of a day in UTC'),
          month: flag.text('The sum of a month in UTC'),
          hosts: flag.text('Only these hosts, separated by commas'),
          payees: flag.text('Only these addresses, separated by commas'),
          askAbove: flag.text('A larger payment waits for your approval'),
          until: flag.text('The end of the mandate, ISO 8601'),
        },
      },
      async (cli, flags, nameOrId = '') => {
        const { payment, day, month } = flags
        if (payment === undefined || day === undefined || month === undefined)
          throw new CommandError(exitCodes.usage, 'mandate set takes --payment, --day and --month')
        const params = { id: await agentId(cli, flags, nameOrId) }
        const body = {
          perPaymentUsd: payment,
          perDayUsd: day,
          perMonthUsd: month,
          hosts: namesIn(flags.hosts),
          payees: namesIn(flags.payees),
          askAboveUsd: flags.askAbove,
          validUntil: flags.until,
        }
        show(cli, flags, await cli.ask(flags, 'PUT /api/agents/{id}/mandate', { params, body }))
      },
    ),
    rm: command({ brief: 'Delete the mandate', args: agent }, async (cli, flags, nameOrId = '') => {
      const params = { id: await agentId(cli, flags, nameOrId) }
      const answer = await cli.ask(flags, 'DELETE /api/agents/{id}/mandate', { params })
      cli.show(flags, answer, () => 'The agent pays nothing more')
    }),
  },
})

export const payments = command(
  {
    brief: 'List the payments of an agent',
    args: agent,
    flags: {
      month: flag.text('Only this month, YYYY-MM'),
      csv: flag.yes('Print comma-separated values'),
    },
  },
  async (cli, flags, nameOrId = '') => {
    const id = await agentId(cli, flags, nameOrId)
    const platform = await cli.platform(flags)
    const found: Record<string, unknown>[] = []
    for await (const payment of platform.agents.payments.list(id, { month: flags.month }))
      found.push({ ...payment })
    if (flags.csv && !flags.json) cli.data(`${csvOf(found)}\r`)
    else cli.list(flags, found, ['at', 'host', 'usd', 'state', 'txHash', 'id'])
  },
)
