const kept = /^production(?:-|$)/

/** With it, names.ts shortens no function's name, so that the programs in ops find the functions by name. */
const longest = 26

/**
 * Returns whether a stage may be removed with its data: every stage but `production` and `production-*` (contract.md 19).
 * The resources of those are protected, and their data stays when they are removed.
 */
export function isThrowaway(stage: string): boolean {
  return !kept.test(stage)
}

/**
 * Checks the name of a stage, which is a part of the names of AWS resources.
 * @throws Error that says what a name may contain
 */
export function checkStage(stage: string): void {
  // Functions treat the stage `local` as one machine and are less strict there.
  if (stage === 'local') throw new Error('the stage cannot be called local')
  if (!/^[a-z](?:-?[a-z0-9])*$/.test(stage))
    throw new Error(
      `the stage cannot be called ${stage}: use lower-case letters, digits and single hyphens, and begin with a letter`,
    )
  if (stage.length > longest)
    throw new Error(
      `the stage cannot be called ${stage}: the name has ${stage.length} characters, and the limit is ${longest}`,
    )
}

/**
 * Returns whether a stage reserves Lambda instances for the functions that need them: every stage that is kept, unless
 * RESERVE is false. All stages and other programs of an account and region share the instances.
 * @param setting RESERVE
 * @throws Error if the setting is neither true nor false
 */
export function reservesConcurrency(stage: string, setting = ''): boolean {
  if (!['', 'true', 'false'].includes(setting))
    throw new Error(`RESERVE is ${setting}; it must be true or false`)
  return !isThrowaway(stage) && setting !== 'false'
}

/**
 * Returns the region of a stage.
 * @param setting AWS_REGION
 * @returns undefined if a throwaway stage uses the region of the AWS CLI
 * @throws Error if a stage that is kept has none: another region would start a second, empty platform
 */
export function regionOf(stage: string, setting = ''): string | undefined {
  if (setting === '' && !isThrowaway(stage))
    throw new Error(
      `AWS_REGION is not set: set it in stages/${stage}.env, because a stage keeps its region`,
    )
  return setting === '' ? undefined : setting
}

/** Returns the short form of a region in names: `euw1` for `eu-west-1`. */
export function regionCode(region: string): string {
  return region
    .replaceAll('-', '')
    .replace(/north|south|east|west|central/g, (part) => part.slice(0, 1))
}
