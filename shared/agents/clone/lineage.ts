import type { Specialization } from './schema.ts'

/** Where a clone comes from. */
export interface Lineage {
  parentAgentId: string
  /** One more than its parent's; an agent that is no clone is of generation 1. */
  generation: number
  specialization: Specialization
}
