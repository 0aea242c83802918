import { descend, PathError } from '#shared/platform/folder/directory.ts'
import { nameOf } from '#shared/platform/folder/names.ts'
import { patternOf } from './pattern.ts'
import { readSmall } from './work-file.ts'

/** Set, unset, or a value. */
export type AttributeValue = boolean | string
export type PathAttributes = ReadonlyMap<string, AttributeValue>

interface Rule {
  matches(path: string): boolean
  states: readonly [name: string, state: AttributeValue | undefined][]
}

/** Reads the attributes of paths from `.gitattributes` and `.git/info/attributes`: gitattributes(5). */
export class GitAttributes {
  readonly #root: string
  readonly #folders = new Map<string, Promise<readonly Rule[]>>()
  readonly #macros = new Map<string, Rule['states']>([
    [
      'binary',
      [
        ['diff', false],
        ['merge', false],
        ['text', false],
      ],
    ],
  ])

  constructor(root: string) {
    this.#root = root
  }

  async of(path: string): Promise<PathAttributes> {
    const names = path.split('/')
    const found = new Map<string, AttributeValue>()
    for (let depth = 0; depth < names.length; depth++) {
      const folder = names.slice(0, depth)
      const rules = await this.#rulesOf(folder.join('/'), folder, '.gitattributes')
      this.#apply(rules, names.slice(depth).join('/'), found)
    }
    this.#apply(await this.#rulesOf('.git/info', ['.git', 'info'], 'attributes'), path, found)
    return found
  }

  #apply(rules: readonly Rule[], path: string, found: Map<string, AttributeValue>): void {
    for (const { matches, states } of rules) if (matches(path)) this.#set(states, found)
  }

  #set(states: Rule['states'], found: Map<string, AttributeValue>): void {
    for (const [name, state] of states) {
      if (state === undefined) found.delete(name)
      else found.set(name, state)
      const macro = state === true ? this.#macros.get(name) : undefined
      for (const [own, value] of macro ?? [])
        if (value === undefined) found.delete(own)
        else found.set(own, value)
    }
  }

  #rulesOf(key: string, folder: readonly string[], file: string): Promise<readonly Rule[]> {
    const known = this.#folders.get(key) ?? this.#read(folder, file)
    this.#folders.set(key, known)
    return known
  }

  async #read(folder: readonly string[], file: string): Promise<readonly Rule[]> {
    try {
      await using opened = await descend(this.#root, folder)
      const text = await readSmall(opened, file)
      const isTop = folder.length === 0 || folder[0] === '.git'
      return text === undefined ? [] : this.#parse(nameOf(text), isTop)
    } catch (error) {
      if (error instanceof PathError) return []
      throw error
    }
  }

  /** @param isTop whether the file may define macros */
  #parse(text: string, isTop: boolean): Rule[] {
    const rules: Rule[] = []
    for (const line of text.replace(/^\uFEFF/, '').split('\n')) {
      const [, quoted, plain, rest = ''] = /^\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))(.*)$/.exec(line) ?? []
      const pattern = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain
      if (pattern === undefined || (quoted === undefined && /^[#!]/.test(pattern))) continue
      const states = rest.trim().split(/\s+/).filter(Boolean).map(stateOf)
      if (quoted === undefined && pattern.startsWith('[attr]')) {
        if (isTop) this.#macros.set(pattern.slice('[attr]'.length), states)
      } else rules.push({ matches: patternOf(pattern), states })
    }
    return rules
  }
}

function stateOf(text: string): [string, AttributeValue | undefined] {
  if (text.startsWith('-')) return [text.slice(1), false]
  if (text.startsWith('!')) return [text.slice(1), undefined]
  const equals = text.indexOf('=')
  return equals === -1 ? [text, true] : [text.slice(0, equals), text.slice(equals + 1)]
}
