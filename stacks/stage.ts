/** The first word of the names of throwaway stages. */
const throwaway = /^(?:dev|test|preview|pr|ci)(?:-|$)/

/** With it, a derived name keeps 20 of IAM's 64 characters for its own words: names.ts. */
const longest = 28

/**
 * Returns whether a stage may be removed with its data: its name is `dev`, `test`, `preview`, `pr` or `ci`, alone or
 * followed by `-`. Every other stage is kept: its resources are protected, and its data stays when it is removed.
 */
export function isThrowaway(stage: string): boolean {
  return throwaway.test(stage)
}

/**
 * Checks the name of a stage, which is a part of the names of AWS resources.
 * @throws Error that says what a name may contain
 */
export function checkStage(stage: string): void {
  // Functions treat the stage `local` as one machine and are less strict there.
  if (stage === 'local') throw new Error('the stage cannot be called local')
  if (!/^[a-z](?:-?[a-z0-9])*$/.test(stage) || stage.length > longest)
    throw new Error(
      `the stage cannot be called ${stage}: use at most ${longest} lower-case letters, digits and single hyphens, and begin with a letter`,
    )
}
