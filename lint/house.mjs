/** House rules that the linter does not have. */

/** `import { z } from 'zod'` cannot be tree-shaken: it adds 370 KB to every function that imports it. */
const zodNamespace = {
  create: (context) => ({
    ImportSpecifier(node) {
      if (node.parent.source.value === 'zod' && node.imported.name === 'z')
        context.report({ node, message: "Write `import * as z from 'zod'`." })
    },
  }),
}

export default { meta: { name: 'house' }, rules: { 'zod-namespace': zodNamespace } }
