import { buildRouteMap } from '@stricli/core'
import { agentId } from '../agent.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'

export const memory = buildRouteMap({
  docs: { brief: 'Manage the memory of an agent' },
  routes: {
    ls: command({ brief: 'List notes', args: ['agent'] }, async (cli, flags, nameOrId = '') => {
      const query = { agentId: await agentId(cli, flags, nameOrId) }
      const { memory: notes } = await cli.ask<{ memory: Record<string, string> }>(
        flags,
        'GET /api/memory',
        { query },
      )
      const rows = Object.entries(notes).map(([key, value]) => ({ key, value }))
      cli.list(flags, rows, ['key', 'value'])
    }),
    get: command(
      { brief: 'Show a note', args: ['agent', 'key'] },
      async (cli, flags, nameOrId = '', key = '') => {
        const query = { agentId: await agentId(cli, flags, nameOrId) }
        const answer = await cli.ask<{ memory: Record<string, string> }>(flags, 'GET /api/memory', {
          query,
        })
        if (!Object.hasOwn(answer.memory, key))
          throw new CommandError(
            exitCodes.notFound,
            `No note ${key}`,
            `agents memory ls ${nameOrId}`,
          )
        const value = answer.memory[key]
        cli.show(flags, { key, value }, () => String(value))
      },
    ),
    set: command(
      {
        brief: 'Write a note; without a text, read standard input',
        args: ['agent', 'key', 'text?'],
      },
      async (cli, flags, nameOrId = '', key = '', text) => {
        const id = await agentId(cli, flags, nameOrId)
        const body = { agentId: id, key, memory: text ?? (await cli.input()) }
        cli.show(flags, await cli.ask(flags, 'POST /api/memory', { body }), () => key)
      },
    ),
    rm: command(
      { brief: 'Delete a note', args: ['agent', 'key'] },
      async (cli, flags, nameOrId = '', key = '') => {
        const body = { agentId: await agentId(cli, flags, nameOrId), key }
        cli.show(flags, await cli.ask(flags, 'DELETE /api/memory', { body }), () => key)
      },
    ),
  },
})

export const skills = buildRouteMap({
  docs: { brief: 'Manage the skills of an agent' },
  routes: {
    ls: command(
      { brief: 'List skills; with an agent, show which are installed', args: ['agent?'] },
      async (cli, flags, nameOrId) => {
        const id = nameOrId === undefined ? undefined : await agentId(cli, flags, nameOrId)
        const answer = await cli.ask<{ skills: { id: string }[]; installedSkillIds: string[] }>(
          flags,
          'GET /api/skills',
          { query: { agentId: id } },
        )
        const rows = answer.skills.map((skill) => ({
          ...skill,
          installed: answer.installedSkillIds.includes(skill.id),
        }))
        cli.list(flags, flags.json ? answer.skills : rows, ['id', 'name', 'category', 'installed'])
      },
    ),
    add: command(
      { brief: 'Install a skill', args: ['agent', 'skill'] },
      async (cli, flags, nameOrId = '', skillId = '') => {
        const body = { agentId: await agentId(cli, flags, nameOrId), skillId }
        cli.show(flags, await cli.ask(flags, 'POST /api/skills', { body }), () => skillId)
      },
    ),
    rm: command(
      { brief: 'Uninstall a skill', args: ['agent', 'skill'] },
      async (cli, flags, nameOrId = '', skillId = '') => {
        const body = { agentId: await agentId(cli, flags, nameOrId), skillId }
        cli.show(flags, await cli.ask(flags, 'DELETE /api/skills', { body }), () => skillId)
      },
    ),
    run: command(
      { brief: 'Run a skill of an agent', args: ['agent', 'skill', 'input?'] },
      async (cli, flags, nameOrId = '', name = '', input) => {
        const body = {
          agentId: await agentId(cli, flags, nameOrId),
          input: input ?? (await cli.input()),
        }
        const answer = await cli.ask(flags, 'POST /api/skills/{name}', { params: { name }, body })
        cli.show(flags, answer, () => String(answer.reply))
      },
    ),
  },
})

export const credentials = buildRouteMap({
  docs: { brief: 'Manage the credentials that an agent uses at other services' },
  routes: {
    ls: command(
      { brief: 'List the names of credentials', args: ['agent'] },
      async (cli, flags, nameOrId = '') => {
        const query = { action: 'credentials', agentId: await agentId(cli, flags, nameOrId) }
        const answer = await cli.ask(flags, 'GET /api/agent', { query })
        cli.list(flags, answer.credentials, ['key', 'updatedAt'])
      },
    ),
    set: command(
      {
        brief: 'Set a credential; without a value, read standard input',
        args: ['agent', 'key', 'value?'],
      },
      async (cli, flags, nameOrId = '', key = '', value) => {
        const id = await agentId(cli, flags, nameOrId)
        const body = {
          action: 'set-credential',
          agentId: id,
          key,
          value: value ?? (await cli.input()),
        }
        cli.show(flags, await cli.ask(flags, 'POST /api/agent', { body }), () => key)
      },
    ),
  },
})

const decide = (decision: 'approve' | 'block', brief: string) =>
  command(
    { brief, args: ['agent', 'channel', 'sender'] },
    async (cli, flags, nameOrId = '', channelId = '', senderId = '') => {
      const params = { id: await agentId(cli, flags, nameOrId), channelId, senderId }
      const answer = await cli.ask(
        flags,
        'POST /api/agents/{id}/channels/{channelId}/senders/{senderId}',
        { params, body: { decision } },
      )
      cli.show(flags, answer, () => {
        const when = answer.applied === true ? '' : ' from the next start of the agent'
        return `${String(answer.name ?? answer.id)} is ${String(answer.state)}${when}`
      })
    },
  )

export const senders = buildRouteMap({
  docs: { brief: 'Manage who may write to a channel or a bot of an agent' },
  routes: {
    ls: command(
      {
        brief: 'List senders: waiting with a code, approved and blocked',
        args: ['agent', 'channel'],
      },
      async (cli, flags, nameOrId = '', channelId = '') => {
        const params = { id: await agentId(cli, flags, nameOrId), channelId }
        const answer = await cli.ask(flags, 'GET /api/agents/{id}/channels/{channelId}/senders', {
          params,
        })
        cli.list(flags, answer.senders, ['id', 'name', 'state', 'code'])
      },
    ),
    approve: decide('approve', 'Approve a sender, by id or by the code that they got'),
    block: decide('block', 'Block a sender, by id or by code'),
  },
})

export const snapshots = buildRouteMap({
  docs: { brief: 'Manage the restore points of an agent' },
  routes: {
    ls: command(
      { brief: 'List restore points', args: ['agent'] },
      async (cli, flags, nameOrId = '') => {
        const params = { id: await agentId(cli, flags, nameOrId) }
        const answer = await cli.ask(flags, 'GET /api/agents/{id}/snapshots', { params })
        cli.list(flags, answer.snapshots, ['id', 'name', 'createdAt', 'bytes'])
      },
    ),
    create: command(
      { brief: 'Create a restore point', args: ['agent', 'name?'] },
      async (cli, flags, nameOrId = '', name) => {
        const params = { id: await agentId(cli, flags, nameOrId) }
        const answer = await cli.ask(flags, 'POST /api/agents/{id}/snapshots', {
          params,
          body: { name },
        })
        cli.show(flags, answer, () => String(answer.id))
      },
    ),
    restore: command(
      {
        brief: 'Restore an agent from a restore point',
        args: ['agent', 'snapshot'],
        flags: { yes: flag.yes('Do not ask for confirmation') },
      },
      async (cli, flags, nameOrId = '', snapshotId = '') => {
        const params = { id: await agentId(cli, flags, nameOrId) }
        const again = `agents snapshots restore ${nameOrId} ${snapshotId}`
        await cli.confirm(flags.yes, `Restoring ${nameOrId}`, again)
        const body = { snapshotId }
        const answer = await cli.ask(flags, 'POST /api/agents/{id}/restore', { params, body })
        cli.show(flags, answer, () => snapshotId)
      },
    ),
  },
})
