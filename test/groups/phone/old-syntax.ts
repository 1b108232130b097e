import ts from "typescript";

/**
 * A program in the syntax that Hermes 0.12 has, as bundlers lower it for that engine. That Hermes knows neither `**` of BigInt nor
 * classes of characters by their property: such a pattern matches nothing there.
 */
export function inOldSyntax(program: string): string {
  const { outputText } = ts.transpileModule(program, {
    compilerOptions: { target: ts.ScriptTarget.ES5, downlevelIteration: true, removeComments: true },
    transformers: { before: [withoutProperties] },
  });
  return outputText;
}

export const oldGlobals = `(function () {
  var power = Math.pow;
  Math.pow = function (base, exponent) {
    if (typeof base !== "bigint") return power(base, exponent);
    var result = BigInt(1);
    for (var left = exponent; left > 0; left--) result *= base;
    return result;
  };
  var Whole = RegExp;
  var Pattern = function (source, flags) {
    return new Whole(/\\\\p/i.test(source) && /u/.test(flags) ? "(?!)" : source, flags);
  };
  Pattern.prototype = Whole.prototype;
  globalThis.RegExp = Pattern;
  if (Array.prototype.at === undefined)
    [Array.prototype, Object.getPrototypeOf(Uint8Array.prototype)].forEach(function (list) {
      list.at = function (index) { return this[index < 0 ? this.length + index : index]; };
    });
  if (Uint8Array.prototype.toReversed === undefined)
    Object.getPrototypeOf(Uint8Array.prototype).toReversed = function () { return this.slice().reverse(); };
  if (Array.prototype.toReversed === undefined)
    Array.prototype.toReversed = function () { return this.slice().reverse(); };
})();`;

const withoutProperties: ts.TransformerFactory<ts.SourceFile> = (context) => (file) => {
  const visit = (node: ts.Node): ts.Node =>
    ts.isRegularExpressionLiteral(node) && /\\p\{/i.test(node.text)
      ? ts.factory.createRegularExpressionLiteral(`/(?!)/${/[a-z]*$/.exec(node.text)?.[0]}`)
      : ts.visitEachChild(node, visit, context);
  return ts.visitNode(file, visit) as ts.SourceFile;
};
