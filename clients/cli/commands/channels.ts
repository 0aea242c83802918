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
      const columns = ['id', 'kind', 'address', 'waiting', 'createdAt']
      cli.list(flags, flags.json ? answer.channels : rows, columns)
    }),
    add: command(
      {
        brief:
          'Create a channel: telegram, slack, whatsapp, email or webhook; its fields, name=value, come from standard input',
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
    set: command(
      {
        brief: 'Change a channel; its fields, name=value, come from standard input',
        args: ['agent', 'channel'],
        flags: { fields: flag.text('The fields, if none is secret, instead of standard input') },
      },
      async (cli, flags, nameOrId = '', channelId = '') => {
        const params = { id: await agentId(cli, flags, nameOrId), channelId }
        const body = fieldsIn(flags.fields ?? (await cli.input()))
        const operation = 'PATCH /api/agents/{id}/channels/{channelId}'
        cli.show(flags, await cli.ask(flags, operation, { params, body }), () => channelId)
      },
    ),
    rotate: command(
      { brief: 'Make a new secret for a webhook', args: ['agent', 'channel'] },
      async (cli, flags, nameOrId = '', channelId = '') => {
        const params = { id: await agentId(cli, flags, nameOrId), channelId }
        const body = { rotateSecret: true }
        const operation = 'PATCH /api/agents/{id}/channels/{channelId}'
        const answer = await cli.ask<CreatedChannel>(flags, operation, { params, body })
        cli.show(flags, answer, () => answer.secret ?? channelId)
      },
    ),
    deliveries: command(
      { brief: 'List what a channel sent, newest first', args: ['agent', 'channel'] },
      async (cli, flags, nameOrId = '', channelId = '') => {
        const params = { id: await agentId(cli, flags, nameOrId), channelId }
        const operation = 'GET /api/agents/{id}/channels/{channelId}/deliveries'
        const answer = await cli.ask(flags, operation, { params })
        cli.list(flags, answer.deliveries, ['at', 'state', 'chat', 'text', 'reason'])
      },
    ),
    rm: command(
      {
        brief: 'Delete a channel',
        args: ['agent', 'channel'],
        flags: { yes: flag.yes('Do not ask for confirmation') },
      },
      async (cli, flags, nameOrId = '', channelId = '') => {
        const again = `agents channels rm ${nameOrId} ${channelId}`
        await cli.confirm(flags.yes, `Deleting ${channelId}`, again)
        const params = { id: await agentId(cli, flags, nameOrId), channelId }
        const operation = 'DELETE /api/agents/{id}/channels/{channelId}'
        cli.show(flags, await cli.ask(flags, operation, { params }), () => channelId)
      },
    ),
  },
})
