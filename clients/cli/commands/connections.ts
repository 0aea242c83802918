import { buildRouteMap } from '@stricli/core'
import type { Connection } from '../../typescript/index.ts'
import { agentId } from '../agent.ts'
import type { Cli, CommonFlags } from '../cli.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'

const one = ['agent', 'name'] as const

/** Prints a connection with the page where its owner signs in. */
function show(cli: Cli, flags: CommonFlags, connection: Connection): void {
  cli.show(flags, connection, () => {
    const { name, state, authorizeUrl, tools } = connection
    const tooled = `${name} is ${state}, with ${tools.length} tools`
    return authorizeUrl === undefined
      ? `${tooled}${withoutTools(connection)}`
      : `Sign in at ${authorizeUrl}`
  })
}

/** Returns a line for each tool that the agent does not get. */
function withoutTools({ leftOut }: Connection): string {
  return leftOut.map(({ name, reason }) => `\nleft out: ${name}: ${reason}`).join('')
}

export const connections = buildRouteMap({
  docs: { brief: 'Connect an agent to MCP servers, without giving it their tokens' },
  routes: {
    ls: command(
      { brief: 'List connections', args: ['agent'] },
      async (cli, flags, nameOrId = '') => {
        const params = { id: await agentId(cli, flags, nameOrId) }
        const answer = await cli.ask<{ connections: Connection[] }>(
          flags,
          'GET /api/agents/{id}/connections',
          { params },
        )
        const rows = answer.connections.map(({ tools, ...connection }) => ({
          ...connection,
          allowed: `${tools.filter((tool) => tool.allowed).length} of ${tools.length}`,
        }))
        const columns = ['name', 'state', 'allowed', 'url']
        cli.list(flags, flags.json ? answer.connections : rows, columns)
      },
    ),
    tools: command(
      { brief: 'List the tools of a connection', args: one },
      async (cli, flags, nameOrId = '', name = '') => {
        const params = { id: await agentId(cli, flags, nameOrId) }
        const answer = await cli.ask<{ connections: Connection[] }>(
          flags,
          'GET /api/agents/{id}/connections',
          { params },
        )
        const found = answer.connections.find((each) => each.name === name)
        if (found === undefined)
          throw new CommandError(
            exitCodes.notFound,
            `No connection ${name}`,
            `agents connections ls ${nameOrId}`,
          )
        const rows = found.tools.map(({ name: tool, description, allowed }) => ({
          name: tool,
          allowed: allowed ? 'yes' : 'no',
          description,
        }))
        cli.list(flags, flags.json ? found.tools : rows, ['name', 'allowed', 'description'])
      },
    ),
    add: command(
      {
        brief: 'Connect to an MCP server',
        args: ['agent', 'name', 'url'],
        flags: {
          clientId: flag.text('The client that you have registered at the server'),
          clientSecret: flag.yes('Read the secret of this client from standard input'),
        },
      },
      async (cli, flags, nameOrId = '', name = '', url = '') => {
        const { clientId, clientSecret } = flags
        if (clientSecret && clientId === undefined)
          throw new CommandError(exitCodes.usage, '--client-secret needs --client-id')
        const client = clientId !== undefined && {
          client: { id: clientId, ...(clientSecret && { secret: await cli.input() }) },
        }
        const params = { id: await agentId(cli, flags, nameOrId) }
        const input = { params, body: { name, url, ...client } }
        show(cli, flags, await cli.ask(flags, 'POST /api/agents/{id}/connections', input))
      },
    ),
    signIn: command(
      { brief: 'Sign in at the server again, and read its tools', args: one },
      async (cli, flags, nameOrId = '', name = '') => {
        const params = { id: await agentId(cli, flags, nameOrId), name }
        const operation = 'POST /api/agents/{id}/connections/{name}/authorize'
        show(cli, flags, await cli.ask(flags, operation, { params }))
      },
    ),
    allow: command(
      {
        brief: 'Set the tools that the agent may use; every other tool is off',
        args: ['agent', 'name', 'tools?'],
      },
      async (cli, flags, nameOrId = '', name = '', tools = '') => {
        const params = { id: await agentId(cli, flags, nameOrId), name }
        const allow = tools.split(',').filter((tool) => tool !== '')
        const input = { params, body: { tools: { allow } } }
        const answer = await cli.ask<Connection>(
          flags,
          'PATCH /api/agents/{id}/connections/{name}',
          input,
        )
        cli.show(
          flags,
          answer,
          () => `${name}: ${allow.join(', ') || 'no tool'}${withoutTools(answer)}`,
        )
      },
    ),
    requests: command(
      { brief: 'List the requests of the last 30 days, newest first', args: ['agent'] },
      async (cli, flags, nameOrId = '') => {
        const params = { id: await agentId(cli, flags, nameOrId) }
        const answer = await cli.ask(flags, 'GET /api/agents/{id}/connection-requests', { params })
        const columns = ['at', 'connection', 'tool', 'decision', 'status', 'ms', 'bytes']
        cli.list(flags, answer.requests, columns)
      },
    ),
    rm: command(
      {
        brief: 'Delete a connection and revoke its access',
        args: one,
        flags: { yes: flag.yes('Do not ask for confirmation') },
      },
      async (cli, flags, nameOrId = '', name = '') => {
        const again = `agents connections rm ${nameOrId} ${name}`
        await cli.confirm(flags.yes, `Deleting ${name}`, again)
        const params = { id: await agentId(cli, flags, nameOrId), name }
        const operation = 'DELETE /api/agents/{id}/connections/{name}'
        cli.show(flags, await cli.ask(flags, operation, { params }), () => name)
      },
    ),
  },
})
