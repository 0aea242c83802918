import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Test files that mostly wait for a clock: for a timeout, a message's redelivery, or the next minute. */
const waiting =
  /(openclaw\/front\/main|hung-agent|troubled-host|liveness|stopped-by-operator|scheduled-tasks|anonymous-bursts|leaving|gateway\/faults|agent-killed|poison|faults\/(?:videos|splits))\.test\.ts$/

/**
 * Spreads these files over the files of their project, so that other files can use the processor while they wait. The
 * files of a project stay together: a worker continues with the next file only if it is of the same project. Otherwise, a
 * new worker loads all modules again.
 */
export class SpreadWaiting extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...Map.groupBy(sorted, ({ project }) => project).values()].flatMap(spread)
  }
}

function spread(files: TestSpecification[]): TestSpecification[] {
  const ranked = [true, false].flatMap((waits) =>
    files
      .filter(({ moduleId }) => waiting.test(moduleId) === waits)
      .map((file, i, { length }) => ({ file, place: i / length })),
  )
  return ranked.sort((a, b) => a.place - b.place).map(({ file }) => file)
}
