import { readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import type { Plugin } from 'esbuild'

/** A module that stands in one file with all that it imports, for the modules of the console that need any of it. */
export interface OneFile {
  path: string
  /** Whether a module that is loaded later imports it, by that module's path within the project. */
  isFor(path: string): boolean
}

/**
 * Puts all that the frame stands on into one file, and all that many screens share into another. esbuild makes a file for
 * each set of modules that the same entries reach, and what is loaded later is an entry too: so that all of them reach all
 * modules of such a file, each imports the module that names them.
 */
export function oneFileEach(root: string, files: readonly OneFile[]): Plugin {
  return {
    name: 'one-file-each',
    setup(build) {
      build.onResolve({ filter: /^\./ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === resolving) return undefined
        const found = await build.resolve(path, { kind, resolveDir, pluginData: resolving })
        return { ...found, pluginData: isLate }
      })
      build.onLoad({ filter: /\.tsx?$/ }, async ({ path, pluginData }) => {
        if (pluginData !== isLate) return undefined
        const source = await readFile(path, 'utf8')
        const loader = extname(path) === '.tsx' ? 'tsx' : 'ts'
        const imports = files
          .filter(({ isFor }) => isFor(relative(root, path)))
          .map((file) => `\nimport ${JSON.stringify(join(root, file.path))}`)
        return { contents: source + imports.join(''), loader }
      })
    },
  }
}

const resolving = Symbol('resolving')
const isLate = Symbol('late')

/** What loads a script later, by its path within the build's folder. */
const laterImport = /\bimport\("\/([\w/-]+\.js)"\)/g

/**
 * Has what is loaded later come together with what it imports: a browser hears of those only once it has it, and would
 * ask a second time. Names of files stay true, since the hashes in them are also of all that a file imports.
 * @param imports the scripts that one imports before it runs, by its path
 */
export function loadTogether(script: string, imports: (path: string) => string[]): string {
  return script.replaceAll(laterImport, (load, path: string) => {
    const others = imports(path).map((other) => `import("/${other}")`)
    return others.length === 0 ? load : `Promise.all([${[load, ...others].join()}]).then(m=>m[0])`
  })
}
