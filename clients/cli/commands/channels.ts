import { buildRouteMap } from '@stricli/core'
import type { Channel, CreatedChannel } from '../../typescript/index.ts'
import { agentId } from '../agent.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'

/** Returns the fields of a channel, one `name=value` per line. */
function fieldsIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^\s*(\w+)=(.*)$/.exec(line) ?? []
      if (name === '')
        throw new CommandError(exitCodes.usage, 'Enter each field as name=value on its own line')
      return [name, value.trim()]
    }),
  )
}

export const channels = buildRouteMap({
  docs: { brief: 'Manage where people and programs reach an agent' },
  routes: {
    ls: command({ brief: 'List channels', args: ['agent'] }, async (cli, flags, nameOrId = '') => {
      const params = { id: await agentId(cli, flags, nameOrId) }
      const answer = await cli.ask<{ channels: Channel[] }>(
        flags,
        'GET /api/agents/{id}/channels',
        { params },
      )
      const rows = answer.channels.map(({ settings, receiveUrl, ...channel }) => ({
        ...channel,
        address: settings['address'] ?? receiveUrl,
      }))
      cli.list(flags, flags.json ? answer.channels : rows, ['id', 'kind', 'address', 'createdAt'])
    }),
    add: command(
      {
        brief: 'Create a channel; its fields, name=value, come from standard input',
        args: ['agent', 'kind'],
        flags: { fields: flag.text('The fields, if none is secret, instead of standard input') },
      },
      async (cli, flags, nameOrId = '', kind = '') => {
        const params = { id: await agentId(cli, flags, nameOrId) }
        // Shells store their commands, so secrets come from standard input.
        const given = kind === 'email' ? {} : fieldsIn(flags.fields ?? (await cli.input()))
        const made = await cli.ask<CreatedChannel>(flags, 'POST /api/agents/{id}/channels', {
          params,
          body: { kind, ...given },
        })
        cli.show(flags, made, () => {
          const { id, settings, receiveUrl, secret } = made
          return [
            id,
            settings['address'] ?? receiveUrl,
            ...(secret === undefined ? [] : [`secret, shown once: ${secret}`]),
          ]
            .filter((line) => line !== null)
            .join('\n')
        })
      },
    ),
  },
})
