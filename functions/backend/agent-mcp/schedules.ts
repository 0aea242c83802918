import * as z from 'zod'
import { changeTask } from '#shared/conversations/scheduled-tasks/change.ts'
import { createTask } from '#shared/conversations/scheduled-tasks/create.ts'
import { deleteTask } from '#shared/conversations/scheduled-tasks/delete.ts'
import { listTasks } from '#shared/conversations/scheduled-tasks/list.ts'
import {
  newTask,
  taskChange,
  taskRef,
  taskView,
} from '#shared/conversations/scheduled-tasks/schema.ts'
import { park, type PendingApproval } from '#shared/permits/approvals/park.ts'
import { permitted, policyDenied } from '#shared/permits/policy/ask.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { parseInput } from '#shared/platform/validation.ts'
import { toolOn } from '#shared/tools/mcp/tool.ts'
import type { AgentCaller } from './context.ts'

/** The agent's scheduled tasks, created by its owner or by itself. */
export const schedules = toolOn<AgentCaller>()({
  name: 'manage_schedules',
  title: 'Manage your scheduled tasks',
  description: 'Lists, creates, changes or deletes your scheduled tasks.',
  kind: 'write',
  destructive: true,
  input: z.object({
    action: z.enum(['list', 'create', 'update', 'delete']),
    task: z.string().optional().describe('Id of the task'),
    name: z.string().optional(),
    cron: z.string().optional().describe('minute hour day month weekday'),
    timezone: z.string().optional(),
    prompt: z.string().optional(),
    enabled: z.boolean().optional(),
  }),
  output: z.looseObject({}),
  call: async (caller, { action, task: taskId, cron: cronSchedule, ...changes }) => {
    const { table, agent, seed } = caller
    const { id: agentId, userId } = agent
    if (userId === null)
      throw new PlatformError('forbidden', 'An agent without an owner has no tasks')
    const ctx = { table, seed, owner: userId, onlyAgent: agentId }
    const fields = { ...changes, ...(cronSchedule !== undefined && { cronSchedule }) }
    if (action === 'list')
      return { tasks: (await listTasks(ctx, {})).map((one) => taskView.parse(one)) }
    const change = changeOf(action, { ...fields, taskId, agentId })
    const pending = await askPolicy(caller, change)
    if (pending !== undefined) return { ...pending }
    switch (change.action) {
      case 'create':
        return taskView.parse(await createTask(ctx, change.fields))
      case 'update':
        return taskView.parse(await changeTask(ctx, change.fields))
      case 'delete':
        await deleteTask(ctx, change.fields)
        return { deleted: change.fields.taskId }
    }
  },
})

/** Validates a change before the policy decides it. @throws PlatformError 400 */
function changeOf(action: 'create' | 'update' | 'delete', given: object) {
  switch (action) {
    case 'create':
      return { action, fields: parseInput(newTask, given) }
    case 'update':
      return { action, fields: parseInput(taskChange, given) }
    case 'delete':
      return { action, fields: parseInput(taskRef, given) }
  }
}

/**
 * Parks a change if the agent's policy asks.
 * @returns undefined if the policy allows the change
 * @throws PlatformError 403 POLICY_DENIED, and as `park`
 */
async function askPolicy(
  { table, log, agent, session }: AgentCaller,
  { action, fields }: ReturnType<typeof changeOf>,
): Promise<PendingApproval | undefined> {
  const effect = { action: 'schedule.write', target: { action } } as const
  const decision = await permitted({ table }, { agent, effect })
  if (decision.then === 'deny') throw policyDenied(effect, decision)
  if (decision.then === 'allow') return undefined
  const what = 'taskId' in fields ? fields.taskId : fields.name
  const summary = `${summaries[action]} ${what}`
  return park(
    { table, log },
    {
      agent,
      effect,
      session,
      summary,
      request: { json: { action, ...fields } },
      uncount: decision.uncount,
    },
  )
}

const summaries = {
  create: 'Create the scheduled task',
  update: 'Change the scheduled task',
  delete: 'Delete the scheduled task',
}
