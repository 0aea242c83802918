import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Most of their time these wait for a clock: for a hang to be believed, a message to come again, a minute to turn. */
const waiting =
  /(openclaw\/front\/main|hung-agent|troubled-ground|liveness|stopped-by-operator|scheduled-tasks|leaving|gateway\/faults|agent-killed|poison)\.test\.ts$/

/** Spreads the files that wait over the run, so that each leaves its processor to the files beside it. */
export class SpreadWaiting extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const waits = sorted.filter(({ moduleId }) => waiting.test(moduleId))
    const works = sorted.filter(({ moduleId }) => !waiting.test(moduleId))
    const step = Math.ceil(works.length / Math.max(1, waits.length))
    const groups = waits.map((wait, i) => [wait, ...works.slice(i * step, (i + 1) * step)])
    return groups.length > 0 ? groups.flat() : works
  }
}
