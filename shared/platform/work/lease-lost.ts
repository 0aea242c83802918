/** Another holder has claimed the work because this holder's lease expired, or the work is finished. */
export class LeaseLost extends Error {
  constructor(id: string) {
    super(`${id} was claimed by another process`)
    this.name = 'LeaseLost'
  }
}

/**
 * Awaits a step of claimed work.
 * @returns false if its lease was lost
 * @throws any other failure of the step
 */
export async function unlessLeaseLost(step: Promise<unknown>): Promise<boolean> {
  try {
    await step
    return true
  } catch (error) {
    if (error instanceof LeaseLost) return false
    throw error
  }
}
