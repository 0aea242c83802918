import type { Cli, CommonFlags } from '../cli.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'

export const mcp = command(
  {
    brief: 'The platform’s tools for a program, by MCP over standard input and output',
    flags: { readOnly: flag.yes('Only tools that change nothing') },
  },
  async (cli, flags) => {
    const scopes = await scopesOf(cli, flags)
    const { serveTools } = await import('../mcp/serve.ts')
    await serveTools({
      baseUrl: cli.urlOf(flags),
      apiKey: () => cli.apiKey(flags),
      readOnly: flags.readOnly,
      scopes,
      stdin: cli.process.stdin,
      signal: cli.signal,
      say: (line) => cli.say(line),
    })
  },
)

/** What who is signed in may do. @throws CommandError where that is no one */
async function scopesOf(cli: Cli, flags: CommonFlags): Promise<string[]> {
  const platform = await cli.platform(flags)
  const { data, response } = await platform
    .request('GET /api/auth/session', {}, { signal: cli.signal })
    .withResponse()
  if (data.user === null)
    throw new CommandError(exitCodes.notSignedIn, `Not signed in at ${cli.urlOf(flags)}`)
  return (response.headers.get('x-oauth-scopes') ?? '').split(' ')
}
