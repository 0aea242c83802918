import { buildRouteMap } from '@stricli/core'
import { agentId } from '../agent.ts'
import { command, flag } from '../command.ts'

const taskFlags = {
  name: flag.text('The name of the task'),
  cron: flag.text('A cron expression: minute, hour, day, month, weekday'),
  prompt: flag.text('The prompt to send to the agent'),
  timezone: flag.text('An IANA time zone, such as Europe/London'),
  description: flag.text('A description of the task'),
}

interface TaskFlags {
  name?: string | undefined
  cron?: string | undefined
  prompt?: string | undefined
  timezone?: string | undefined
  description?: string | undefined
}

function taskOf({ name, cron: cronSchedule, prompt, timezone, description }: TaskFlags) {
  return { name, cronSchedule, prompt, timezone, description }
}

export const tasks = buildRouteMap({
  docs: { brief: 'Manage scheduled tasks: prompts sent to agents on a schedule' },
  routes: {
    ls: command(
      { brief: 'List scheduled tasks', args: ['agent?'] },
      async (cli, flags, nameOrId) => {
        const id = nameOrId === undefined ? undefined : await agentId(cli, flags, nameOrId)
        const answer = await cli.ask(flags, 'GET /api/scheduled-tasks', { query: { agentId: id } })
        cli.list(flags, answer.tasks, [
          'id',
          'name',
          'cronSchedule',
          'enabled',
          'nextRun',
          'lastStatus',
        ])
      },
    ),
    create: command(
      { brief: 'Create a scheduled task', args: ['agent'], flags: taskFlags },
      async (cli, flags, nameOrId = '') => {
        const body = { ...taskOf(flags), agentId: await agentId(cli, flags, nameOrId) }
        const answer = await cli.ask(flags, 'POST /api/scheduled-tasks', { body })
        cli.show(flags, answer, () => String(answer.id))
      },
    ),
    edit: command(
      {
        brief: 'Update a scheduled task',
        args: ['task'],
        flags: {
          ...taskFlags,
          enable: flag.yes('Enable the task'),
          disable: flag.yes('Disable the task'),
        },
      },
      async (cli, flags, taskId) => {
        const enabled = flags.enable ? true : flags.disable ? false : undefined
        const body = { ...taskOf(flags), taskId, enabled }
        const answer = await cli.ask(flags, 'PUT /api/scheduled-tasks', { body })
        cli.show(flags, answer, () => String(answer.id))
      },
    ),
    rm: command(
      {
        brief: 'Delete a scheduled task',
        args: ['task'],
        flags: { yes: flag.yes('Do not ask for confirmation') },
      },
      async (cli, flags, taskId = '') => {
        await cli.confirm(flags.yes, `Deleting ${taskId}`, `agents tasks rm ${taskId}`)
        cli.show(
          flags,
          await cli.ask(flags, 'DELETE /api/scheduled-tasks', { body: { taskId } }),
          () => taskId,
        )
      },
    ),
    run: command({ brief: 'Run a scheduled task now', args: ['task'] }, async (cli, flags, id) => {
      const answer = await cli.ask(flags, 'POST /api/scheduled-tasks/{id}/run', { params: { id } })
      cli.show(flags, answer, () => String(answer.runId))
    }),
    runs: command(
      { brief: 'List the runs of a scheduled task', args: ['task'] },
      async (cli, flags, id) => {
        const answer = await cli.ask(flags, 'GET /api/scheduled-tasks/{id}/runs', {
          params: { id },
        })
        cli.list(flags, answer.runs, ['id', 'startedAt', 'status', 'tokens', 'costUsd'])
      },
    ),
  },
})

export const swarms = buildRouteMap({
  docs: { brief: 'Manage swarms: groups of agents that answer the same prompt' },
  routes: {
    ls: command({ brief: 'List swarms' }, async (cli, flags) => {
      const answer = await cli.ask(flags, 'GET /api/swarms')
      cli.list(flags, answer.swarms, ['id', 'name', 'agents'])
    }),
    create: command(
      { brief: 'Create a swarm', args: ['name', 'agent…'] },
      async (cli, flags, name, ...members) => {
        const agents: string[] = []
        for (const nameOrId of members) agents.push(await agentId(cli, flags, nameOrId))
        const answer = await cli.ask(flags, 'POST /api/swarms', { body: { name, agents } })
        cli.show(flags, answer, () => String(answer.id))
      },
    ),
    run: command(
      { brief: 'Send a prompt to all agents of a swarm', args: ['swarm', 'prompt?'] },
      async (cli, flags, id, prompt) => {
        const input = { params: { id }, body: { prompt: prompt ?? (await cli.input()) } }
        const answer = await cli.ask<{
          results: { agentId: string; reply: string | null; error: string | null }[]
        }>(flags, 'POST /api/swarms/{id}/run', input)
        cli.show(flags, answer, () =>
          answer.results.map((one) => `${one.agentId}: ${one.reply ?? one.error ?? ''}`).join('\n'),
        )
      },
    ),
  },
})

export const runs = buildRouteMap({
  docs: { brief: 'List and cancel runs' },
  routes: {
    ls: command(
      { brief: 'List runs', args: ['agent?'], flags: { active: flag.yes('Only active runs') } },
      async (cli, flags, nameOrId) => {
        const id = nameOrId === undefined ? undefined : await agentId(cli, flags, nameOrId)
        const query = { agentId: id, state: flags.active ? 'active' : undefined }
        const answer = await cli.ask(flags, 'GET /api/runs', { query })
        cli.list(flags, answer.runs, ['id', 'kind', 'agentId', 'state', 'startedAt', 'costUsd'])
      },
    ),
    cancel: command(
      {
        brief: 'Cancel a run',
        args: ['run'],
        flags: { reason: flag.text('The reason, shown with the run') },
      },
      async (cli, flags, id) => {
        const input = { params: { id }, body: { reason: flags.reason } }
        const answer = await cli.ask(flags, 'POST /api/runs/{id}/cancel', input)
        cli.show(flags, answer, () => String(answer.state))
      },
    ),
  },
})
