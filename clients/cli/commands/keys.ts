import { buildRouteMap } from '@stricli/core'
import type { Routing } from '../../typescript/index.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'

const limitFlags = {
  model: flag.texts('A model that the key may use; repeat the flag for more, none for all models'),
  perMinute: flag.text('Model calls per minute, or none'),
  perDay: flag.text('USD per day in UTC, or none'),
  perMonth: flag.text('USD per calendar month in UTC, or none'),
  routing: flag.text('The choice of providers: JSON of order, weights and maxPriceUsd, or none'),
}

interface LimitFlags {
  model: readonly string[] | undefined
  perMinute: string | undefined
  perDay: string | undefined
  perMonth: string | undefined
  routing: string | undefined
}

/** Returns the limits of a request body; undefined without a flag. */
function limitsOf({ model, perMinute, perDay, perMonth, routing }: LimitFlags) {
  const limits = {
    ...(model !== undefined && { models: model.includes('none') ? null : model }),
    ...(perMinute !== undefined && { requestsPerMinute: numberOf(perMinute) }),
    ...(perDay !== undefined && { usdPerDay: numberOf(perDay) }),
    ...(perMonth !== undefined && { usdPerMonth: numberOf(perMonth) }),
    ...(routing !== undefined && { routing: routingOf(routing) }),
  }
  return Object.keys(limits).length === 0 ? undefined : limits
}

function numberOf(text: string): number | null {
  if (text === 'none') return null
  const number = Number(text)
  if (text === '' || !(number >= 0))
    throw new CommandError(exitCodes.usage, `${text} is neither a number nor none`)
  return number
}

/** The platform checks the fields. */
function routingOf(text: string): Routing | null {
  if (text === 'none') return null
  try {
    return JSON.parse(text) as Routing
  } catch {
    throw new CommandError(exitCodes.usage, `${text} is neither JSON nor none`)
  }
}

export const keys = buildRouteMap({
  docs: { brief: 'Manage API keys' },
  routes: {
    ls: command({ brief: 'List API keys' }, async (cli, flags) => {
      const answer = await cli.ask(flags, 'GET /api/keys')
      cli.list(flags, answer.keys, ['id', 'name', 'scopes', 'createdAt', 'expiresAt', 'limits'])
    }),
    create: command(
      {
        brief: 'Create an API key; it is shown only once',
        args: ['name'],
        flags: {
          scopes: flag.text('Comma-separated: read,chat,write,money,admin'),
          expires: flag.text('When it expires, as an ISO 8601 time'),
          ...limitFlags,
        },
      },
      async (cli, flags, name) => {
        const { scopes, expires: expiresAt } = flags
        const body = { name, scopes: scopes?.split(','), expiresAt, limits: limitsOf(flags) }
        const answer = await cli.ask(flags, 'POST /api/keys', { body })
        cli.show(flags, answer, () => String(answer.key))
      },
    ),
    update: command(
      {
        brief: 'Change the name or the limits of an API key',
        args: ['key'],
        flags: { name: flag.text('The new name'), ...limitFlags },
      },
      async (cli, flags, id = '') => {
        const body = { name: flags.name, limits: limitsOf(flags) }
        const answer = await cli.ask(flags, 'PATCH /api/keys/{id}', { params: { id }, body })
        cli.show(flags, answer, () => id)
      },
    ),
    rm: command(
      {
        brief: 'Delete an API key',
        args: ['key'],
        flags: { yes: flag.yes('Do not ask for confirmation') },
      },
      async (cli, flags, id = '') => {
        await cli.confirm(flags.yes, `Deleting ${id}`, `agents keys rm ${id}`)
        cli.show(flags, await cli.ask(flags, 'DELETE /api/keys/{id}', { params: { id } }), () => id)
      },
    ),
  },
})
