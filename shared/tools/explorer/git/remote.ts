import { configOf, type Repository } from './repository.ts'

export interface Remote {
  name: string
  url: string
  /** The URL for pushes, if it differs. */
  pushUrl: string | undefined
  /** The remote branch as a full ref name. */
  ref: string
}

/** Returns the remote of a branch's upstream, or else `origin`, or undefined if neither exists. */
export async function remoteUrl(
  repository: Repository,
  branch: string,
): Promise<Remote | undefined> {
  const upstream = await configOf(repository, `branch.${branch}.remote`)
  const name = upstream ?? 'origin'
  const url = await configOf(repository, `remote.${name}.url`)
  if (url === undefined) return undefined
  const merge =
    upstream === undefined ? undefined : await configOf(repository, `branch.${branch}.merge`)
  return {
    name,
    url,
    pushUrl: await configOf(repository, `remote.${name}.pushurl`),
    ref: merge ?? `refs/heads/${branch}`,
  }
}

/** Removes the user name and password from any kind of address. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}

/** Returns the local ref that tracks the remote's branch. */
export function trackingRef({ name, ref }: Remote): string {
  return `refs/remotes/${name}/${ref.replace(/^refs\/heads\//, '')}`
}
