import * as z from 'zod'
import type { ApprovalResult } from '#shared/permits/approvals/approval.ts'
import type { Execution, Outcome } from '#shared/permits/approvals/work/executor.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { parseInput } from '#shared/platform/validation.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { changeTask } from './change.ts'
import { createTask } from './create.ts'
import { deleteTask } from './delete.ts'
import { newTask, taskChange, taskRef } from './schema.ts'

/** A change of an agent's own tasks that waits for an approval. */
const parkedChange = z.looseObject({ action: z.enum(['create', 'update', 'delete']) })

/**
 * Changes the agent's scheduled tasks in the transaction that ends the approval.
 * @throws PlatformError 400, 404 for a task that was deleted, 409 TASK_LIMIT_REACHED
 */
export async function carryOutTaskChange(
  { table }: Pick<Context, 'table'>,
  { approval, request, agent, ending }: Execution,
): Promise<Outcome> {
  const { id: agentId, userId: owner } = agent
  if (owner === null) throw new PlatformError('forbidden', 'An agent without an owner has no tasks')
  const { action, ...fields } = parkedChange.parse(request.json)
  // The same approval creates the same task.
  const seed = approval.id.slice(approval.id.indexOf('_') + 1)
  const along = {
    parts: ending(resultOf(action)),
    refused: () => new LeaseLost(approval.id),
  }
  const ctx = { table, seed, owner, onlyAgent: agentId, along }
  if (action === 'create') await createTask(ctx, parseInput(newTask, { ...fields, agentId }))
  else if (action === 'update') await changeTask(ctx, parseInput(taskChange, fields))
  else await deleteTask(ctx, parseInput(taskRef, fields))
  return 'ended'
}

function resultOf(action: 'create' | 'update' | 'delete'): ApprovalResult {
  return { status: action === 'create' ? 201 : 200, body: JSON.stringify({ action }) }
}
