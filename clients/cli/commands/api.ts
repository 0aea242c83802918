import type { Method } from '../../typescript/index.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'
import { fieldsOf } from './agents.ts'

const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

export const api = command(
  {
    brief: 'Any request; prints the answer',
    args: ['METHOD', 'path'],
    flags: {
      field: flag.texts('key=value, or key:=JSON: of the body, or of the query of a GET'),
      input: flag.text('The body; - reads it from the standard input'),
    },
    aliases: { f: 'field' },
  },
  async (cli, flags, given = '', path = '') => {
    const method = given.toUpperCase()
    if (!methods.has(method)) throw new CommandError(exitCodes.usage, `${given} is no method`)
    if (!path.startsWith('/')) throw new CommandError(exitCodes.usage, `${path} is no path`)
    const fields = fieldsOf(flags.field ?? [])
    const hasFields = flags.field !== undefined && flags.field.length > 0
    const whole = flags.input === '-' ? await cli.input() : flags.input
    const rest = method === 'GET' ? { query: fields } : { body: hasFields ? fields : undefined }
    // What is in braces of an address that is given whole is a part of it.
    const address = path.replaceAll('{', '%7B').replaceAll('}', '%7D') as `/${string}`
    const answer = await cli.ask<unknown>(
      flags,
      `${method as Method} ${address}`,
      whole === undefined ? rest : { body: whole },
    )
    if (typeof answer !== 'string') cli.json(answer)
    else if (flags.json && cli.process.stdout.isTTY !== true) cli.data(answer)
    else cli.out(answer)
  },
)
