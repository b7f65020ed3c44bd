// Checks glTF files by the Khronos validator: node check_glb.cjs FILE...; package gltf-validator in NODE_PATH.
const fs = require("fs");
const validator = require("gltf-validator");

async function check(path) {
    const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(path)));
    console.log(`${path}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
    issues.messages.filter((issue) => issue.severity < 2).forEach((issue) => console.log(issue.code, issue.pointer, issue.message));
    return issues.numErrors + issues.numWarnings === 0;
}

Promise.all(process.argv.slice(2).map(check)).then((sound) => process.exit(sound.every(Boolean) ? 0 : 1));
