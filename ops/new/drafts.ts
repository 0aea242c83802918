import { job } from './job.ts'
import { noun } from './noun.ts'
import { resource } from './resource.ts'
import { route } from './route.ts'
import { row } from './row.ts'
import { screen } from './screen.ts'
import { verb } from './verb.ts'

export const usage = `usage:
  npm run new -- noun <district>/<noun> "<its line in the district's README>"
  npm run new -- resource <district>/<noun> "<its line in the district's README>" --limit <rows of a user>
    (the noun in the plural; --one "<name of one>" if that is not the noun without its s)
  npm run new -- row <district>/<noun> <name>
  npm run new -- verb <district>/<noun>/<verb>
  npm run new -- job <district>/<noun> <the queue, in the plural: later-stops>
  npm run new -- job <district>/<noun> "<its line in the district's README>" --limit <unfinished ones of a user>
    (with routes that create and return it; the noun is also the queue)
  npm run new -- route <web|backend> <group> <GET|POST|PATCH|PUT|DELETE> <path> <resource>.<verb>
    (several routes of a group: repeat method, path and name)
  npm run new -- screen <path without its slash> "<title>" [<resource of the client>.list] [menu]
    (shows the list; menu adds it to the navigation)`

/** Each returns undefined for words that it cannot use. */
export const drafts = { noun, resource, row, verb, job, route, screen }

export function isKind(word: string): word is keyof typeof drafts {
  return Object.hasOwn(drafts, word)
}
