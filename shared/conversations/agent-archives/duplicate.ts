import { packReader } from '#shared/agents/files/packs.ts'
import { pinFiles } from '#shared/agents/files/pin.ts'
import { fileRows } from '#shared/agents/files/rows.ts'
import { workspaceIn } from '#shared/agents/files/walk.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import {
  beginAgent,
  type FilesSource,
  idOfBeginning,
  requireBeginning,
} from '../restore-points/begin.ts'
import { collect } from '../restore-points/collect.ts'
import type { BeginContext } from '../restore-points/work/context.ts'
import { copyPinned } from '../restore-points/work/initial-files.ts'
import { portable } from './portable.ts'

/** The job copies what this time of a request does not suffice for, in milliseconds. */
const inlineMs = 6000

type Duplicates = Pick<UserContext, 'actor' | 'owner' | 'seed'> & BeginContext & Can<'packs'>

/**
 * Duplicates one of the caller's agents: its config without secrets, its memory, the files of its workspace, and its
 * skills within the plan's limit. Conversations and schedules are not copied; schedules would run twice.
 * @throws PlatformError 404, and as beginAgent
 */
export async function duplicateAgent(
  ctx: Duplicates,
  { agentId, name }: { agentId: string; name: string },
): Promise<Agent> {
  const { table, owner } = ctx
  const original = await requireAgent({ table }, { agentId, owner })
  requireBeginning(ctx)
  await ctx.syncFiles?.(original)
  const content = portable(await collect(table, original))
  return beginAgent(
    ctx,
    {
      ...content,
      agent: { ...content.agent, id: idOfBeginning(ctx), name, running: true, resetAt: undefined },
      tasks: [],
      messages: [],
      cut: false,
    },
    await sourceOf(ctx, agentId),
  )
}

/** Returns the files of an agent to copy; undefined if its workspace does not exist. */
async function sourceOf(ctx: Duplicates, source: string): Promise<FilesSource | undefined> {
  const { table, owner: userId, packs } = ctx
  const { readList } = packReader(packs, source)
  const row = await fileRows.find(table, { userId, agentId: source })
  const workspace = await workspaceIn(readList, row?.root)
  if (workspace === undefined) return undefined
  return {
    bytes: workspace.bytes,
    source,
    async store(restore, goOn) {
      const until = Date.now() + inlineMs
      const pinned = await pinFiles(
        { table },
        { userId, agentId: source, pinId: restore.snapshotId },
      )
      const current = await workspaceIn(readList, pinned?.root)
      if (current === undefined) return undefined
      const copied = await copyPinned(ctx, restore, async () => {
        await goOn()
        return Date.now() < until
      })
      if (copied !== undefined) return { kind: 'stored', ...copied }
      return { kind: 'copy', bytes: current.bytes, files: current.files }
    },
  }
}
