import type { Can } from '#shared/platform/identity/capabilities.ts'
import { isoOf } from '#shared/platform/times.ts'
import { packKey } from '../packs.ts'
import { type ContainerContext, requireHeld } from './held.ts'

/** The validity of links to packs, in seconds. */
export const linkSeconds = 900

export interface PackLinks {
  links: { id: string; url: string }[]
  expiresAt: string
}

/** Returns links to read packs of a container's own agent. @throws PlatformError 404, 409 FILES_HELD */
export async function linkPacks(
  ctx: ContainerContext & Can<'links'>,
  { generation, packs }: { generation: number; packs: readonly string[] },
): Promise<PackLinks> {
  const { agentId } = await requireHeld(ctx, generation)
  const expiresAt = isoOf(Date.now() + linkSeconds * 1000)
  const options = { seconds: linkSeconds, contentType: 'application/octet-stream' }
  const links = await Promise.all(
    packs.map(async (id) => ({
      id,
      url: await ctx.links.to(packKey(agentId, id), { ...options, fileName: id }),
    })),
  )
  return { links, expiresAt }
}
