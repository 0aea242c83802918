import type { Cli, CommonFlags } from '../cli.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'

export const mcp = command(
  {
    brief: 'Run an MCP server over standard input and output, with the platform’s tools',
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

/** Returns the scopes of the signed-in user's key or token. @throws CommandError if the user is not signed in */
async function scopesOf(cli: Cli, flags: CommonFlags): Promise<string[]> {
  const platform = await cli.platform(flags)
  const { data, response } = await platform
    .request('GET /api/auth/session', {}, { signal: cli.signal })
    .withResponse()
  if (data.user === null)
    throw new CommandError(exitCodes.notSignedIn, `Not signed in at ${cli.urlOf(flags)}`)
  return (response.headers.get('x-oauth-scopes') ?? '').split(' ')
}
