import { type BundleOptions, openBundles } from './bundle.ts'

/** Bundles that are made at their first use, or in the background. */
export interface OnDemand {
  /** The functions that must be bundled. */
  readonly stale: readonly string[]
  /**
   * Bundles a function ahead of all others. Returns undefined if its bundle is up to date.
   * @throws Error with the place where the code does not compile; the next call tries again
   */
  ready(name: string): Promise<void> | undefined
  /** Builds the other bundles while no request waits for a function. */
  rest(): Promise<void>
}

/**
 * The number of functions in one build: few, so that a request for another function waits briefly, but enough to parse
 * shared sources once.
 */
const maxTogether = 12

/** @param onProblem receives each function that does not compile in the background */
export async function openOnDemand(
  options: BundleOptions,
  onProblem: (name: string, error: unknown) => void,
): Promise<OnDemand> {
  const { stale, make } = await openBundles(options)
  const open = new Set(stale)
  const underWay = new Map<string, { isAlone: boolean; made: Promise<void> }>()
  const waitedFor = new Set<Promise<void>>()

  function begin(names: readonly string[]): Promise<void> {
    const made = (async () => {
      try {
        await make(names)
      } catch (error) {
        for (const name of names) open.add(name)
        throw error
      } finally {
        for (const name of names) underWay.delete(name)
      }
    })()
    for (const name of names) {
      open.delete(name)
      underWay.set(name, { isAlone: names.length === 1, made })
    }
    return made
  }

  function ready(name: string): Promise<void> | undefined {
    const running = underWay.get(name)
    // One function that does not compile fails all functions of the same build.
    if (running !== undefined)
      return running.isAlone ? running.made : running.made.catch(() => ready(name))
    if (!open.has(name)) return undefined
    const made = begin([name])
    const forget = () => void waitedFor.delete(made)
    waitedFor.add(made)
    made.then(forget, forget)
    return made
  }

  async function eachAlone(names: readonly string[], failed: Set<string>): Promise<void> {
    for (const name of names)
      await begin([name]).catch((error: unknown) => {
        failed.add(name)
        onProblem(name, error)
      })
  }

  return {
    stale,
    ready,
    async rest() {
      const failed = new Set<string>()
      for (;;) {
        await Promise.allSettled(waitedFor)
        const names = [...open].filter((name) => !failed.has(name)).slice(0, maxTogether)
        if (names.length === 0) return
        await begin(names).catch(() => eachAlone(names, failed))
      }
    },
  }
}
