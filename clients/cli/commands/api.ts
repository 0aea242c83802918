import type { Method } from '../../typescript/index.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'
import { fieldsOf } from './agents.ts'

const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

export const api = command(
  {
    brief: 'Send any request and print the response',
    args: ['METHOD', 'path'],
    flags: {
      field: flag.texts('key=value or key:=JSON: a field of the body; of the query for GET'),
      input: flag.text('The request body; - reads it from standard input'),
    },
    aliases: { f: 'field' },
  },
  async (cli, flags, methodName = '', path = '') => {
    const method = methodName.toUpperCase()
    if (!methods.has(method))
      throw new CommandError(exitCodes.usage, `${methodName} is not an HTTP method`)
    if (!path.startsWith('/'))
      throw new CommandError(exitCodes.usage, `${path} is not a path: it must start with /`)
    const fields = fieldsOf(flags.field ?? [])
    const hasFields = flags.field !== undefined && flags.field.length > 0
    const whole = flags.input === '-' ? await cli.input() : flags.input
    const rest = method === 'GET' ? { query: fields } : { body: hasFields ? fields : undefined }
    // The path is complete: its braces are literal, not names of parameters.
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
