import { readPage, sourceOf, startOf } from './page.ts'
import type { Session } from './plan.ts'
import type { Inputs } from './requests.ts'

/** Reads a whole table or index, or one of TotalSegments parts. */
export function scan(session: Session, input: Inputs['Scan']): object {
  const source = sourceOf(session, input)
  const after = startOf(source, input.ExclusiveStartKey)
  const { Segment: number, TotalSegments: total } = input
  return readPage(session, input, {
    ...source,
    ...(after && { after }),
    ...(number !== undefined && total !== undefined && { segment: { number, total } }),
  })
}
