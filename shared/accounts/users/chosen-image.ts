import type { Table } from '#shared/platform/table/port.ts'

/** An agent with an image that a person chose. */
export interface ChosenImage {
  agentId: string
  image: string
  /** The time of the choice, as ISO 8601. Absent for choices of earlier releases, like `by`. */
  at?: string
  /** The credential: `session`, `key:<id>`, `program:<id>` or an actor of the audit. */
  by?: string
}

export interface FindsChosenImages {
  /** Returns the agents of a user with a chosen image: agents/record/image/chosen.ts. */
  chosenImages: (table: Table, userId: string) => Promise<ChosenImage[]>
}
