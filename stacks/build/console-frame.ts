import { readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import type { Plugin } from 'esbuild'

/** Modules that are bundled into one file together with all their imports. */
export interface OneFile {
  /** Paths in the project. */
  modules: readonly string[]
  /**
   * Returns whether a lazily loaded module imports any of these modules.
   * @param path the path of the lazily loaded module in the project
   */
  isFor(path: string): boolean
}

/**
 * Bundles the frame with all its imports into one file, and the modules that many screens share into another. esbuild
 * creates a file for each set of modules that the same entries reach, and lazily loaded modules are entries too. So each of
 * them imports all shared modules, and all reach the same set.
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
          .flatMap((file) => file.modules)
          .map((module) => `\nimport ${JSON.stringify(join(root, module))}`)
        return { contents: source + imports.join(''), loader }
      })
    },
  }
}

const resolving = Symbol('resolving')
const isLate = Symbol('late')

/** A dynamic import of a script, by its path in the build's folder. */
const laterImport = /\bimport\("\/([\w/-]+\.js)"\)/g

/**
 * Loads a lazily loaded script together with its imports. Otherwise the browser would learn of them only after it has the
 * script, and need a second round trip. File names stay valid, because the hash of a file includes its imports.
 * @param imports returns the static imports of a script, by its path
 */
export function loadTogether(script: string, imports: (path: string) => string[]): string {
  return script.replaceAll(laterImport, (load, path: string) => {
    const others = imports(path).map((other) => `import("/${other}")`)
    return others.length === 0 ? load : `Promise.all([${[load, ...others].join()}]).then(m=>m[0])`
  })
}
