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

/** The code that may read the id of the caller, with the reason. All other code finds rows by the owner. */
const readersOfCallerId = {
  'shared/http/': 'identifies callers, and counts their requests',
  'shared/platform/identity/': 'names the owner and the actor',
  'shared/agents/record/events/author.ts': 'authorship',
  'shared/agents/record/permit.ts': 'the rights of operators',
  'shared/operations/tools/enter.ts': 'the audit of operators',
  'shared/accounts/keys/': 'credentials',
  'shared/accounts/oauth/': 'credentials',
  'shared/accounts/users/': 'the account that signs in, and its sessions',
  'shared/billing/account-deletion/': 'the account that signs in',
  'functions/web/profile.ts': 'a session proves access to its account',
}

const isTest = /\.test\.ts$|(^|\/)(tests|bench)\//

/** `ctx.owner` finds rows; the caller's id would miss the rows of an owner who is not the caller. */
const ownerFindsRows = {
  create(context) {
    const path = context.filename.replaceAll('\\', '/')
    const mayRead = Object.keys(readersOfCallerId).some((each) => path.includes(`/${each}`))
    if (mayRead || isTest.test(path)) return {}
    const report = (node) =>
      context.report({
        node,
        message:
          'Find rows by the owner of the context; docs/design/architecture.md, Owner and actor.',
      })
    /** For each enclosing function, true if it destructures `user` from an actor. */
    const takesUser = [false]
    const enter = () => takesUser.push(false)
    const leave = () => takesUser.pop()
    return {
      FunctionDeclaration: enter,
      'FunctionDeclaration:exit': leave,
      FunctionExpression: enter,
      'FunctionExpression:exit': leave,
      ArrowFunctionExpression: enter,
      'ArrowFunctionExpression:exit': leave,
      MemberExpression(node) {
        const { object, property } = node
        const ofCaller = isUser(object) || (object.name === 'user' && takesUser.includes(true))
        if (property.name === 'id' ? ofCaller : property.name === 'userId' && isActor(object))
          report(node)
      },
      Property(node) {
        if (node.key.name === 'actor' && takes(node.value, 'user'))
          takesUser[takesUser.length - 1] = true
      },
      VariableDeclarator({ id, init }) {
        if (isActor(init) && takes(id, 'user')) takesUser[takesUser.length - 1] = true
        if (isActor(init) && takes(id, 'userId')) report(id)
        if (isUser(init) && takes(id, 'id')) report(id)
      },
    }
  },
}

function isActor(node) {
  return node?.name === 'actor' || node?.property?.name === 'actor'
}

function isUser(node) {
  return node?.property?.name === 'user' && isActor(node.object)
}

function takes(pattern, name) {
  return (
    pattern.type === 'ObjectPattern' && pattern.properties.some((each) => each.key?.name === name)
  )
}

const isContextName = /(Context|Services)$/
const membersOfContext = new Set(['table', 'queues', 'log'])

/** All contexts pick their ports from one type, so that a port has the same name and type everywhere. */
const contextVocabulary = {
  create(context) {
    const path = context.filename.replaceAll('\\', '/')
    const isCovered = /\/(shared|functions)\//.test(path)
    if (!isCovered || path.includes('/shared/platform/identity/') || isTest.test(path)) return {}
    /** True in the declaration of a context. */
    let inContext = false
    const enter = ({ id }) => (inContext = isContextName.test(id.name))
    const leave = () => (inContext = false)
    return {
      TSInterfaceDeclaration: enter,
      'TSInterfaceDeclaration:exit': leave,
      TSTypeAliasDeclaration: enter,
      'TSTypeAliasDeclaration:exit': leave,
      TSPropertySignature(node) {
        if (!inContext || !membersOfContext.has(node.key.name)) return
        const message =
          "Write Pick<Context, 'table' | 'log'> or Sends<…>; docs/design/architecture.md, Contexts."
        context.report({ node, message })
      },
    }
  },
}

export default {
  meta: { name: 'house' },
  rules: {
    'context-vocabulary': contextVocabulary,
    'zod-namespace': zodNamespace,
    'owner-finds-rows': ownerFindsRows,
  },
}
