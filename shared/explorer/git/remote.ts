import { configOf, type Repository } from './repository.ts'

export interface Remote {
  name: string
  url: string
  /** Where pushes go, where that is another address. */
  pushUrl: string | undefined
  /** The branch there, as a full name of a ref. */
  ref: string
}

/** The remote of a branch: its upstream's, else `origin`; undefined where there is none. */
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

/** The address without the user name and the password that it may have, of any kind of address. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}

/** The ref by which a repository knows the remote's branch. */
export function trackingRef({ name, ref }: Remote): string {
  return `refs/remotes/${name}/${ref.replace(/^refs\/heads\//, '')}`
}
