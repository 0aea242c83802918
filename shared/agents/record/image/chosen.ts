import type { ChosenImage } from '#shared/accounts/users/chosen-image.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { listAgents } from '../list.ts'

/** Returns the agents of a user with an image that a person chose, newest choice first. */
export async function chosenImages(table: Table, userId: string): Promise<ChosenImage[]> {
  const agents = await listAgents({ table }, { userId, consistent: true })
  return agents
    .flatMap(({ id: agentId, pinnedImage: image, imageChange }) =>
      image === undefined ? [] : [{ agentId, image, ...imageChange }],
    )
    .toSorted((a, b) => (b.at ?? '').localeCompare(a.at ?? ''))
}
