#include "test/catch.hpp"

#include <tegula/jit.hpp>

#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <algorithm>
#include <climits>
#include <csignal>

using namespace tegula;

namespace {

/// A folder of its own for a test.
struct scratch
{
    std::string path = jit::detail::make_temporary_folder();
    ~scratch() { jit::detail::remove_folder(path); }

    std::string operator/(const char* name) const { return path + "/" + name; }
};

jit::settings settings_in(const scratch& folder)
{
    mkdir((folder / "include").c_str(), 0700);
    return {{folder / "include"}, jit::cache(folder / "cache", 1000000)};
}

jit::toolchain host() { return jit::find_toolchain(jit::runs_on::emulator, "gfx942"); }

/// A module of one function, whose answer is in a header.
const jit::unit answer = {"#include <answer.hpp>\n#include \"source.hpp\"\n",
                          "extern \"C\" int answer() { return value; }\n", "answer"};

void write_header(const scratch& folder, const char* value, long age)
{
    const std::string header = folder / "include/answer.hpp";
    REQUIRE(jit::write_file(header, std::string("const int value = ") + value + ";\n"));
    const timespec time = {::time(nullptr) - age, 0};
    const timespec both[] = {time, time};
    REQUIRE(utimensat(AT_FDCWD, header.c_str(), both, 0) == 0);
}

int answer_of(const jit::compiled& c)
{
    const jit::loaded l = jit::load(c);
    INFO(l.status.message());
    REQUIRE(l.status);
    return reinterpret_cast<int (*)()>(l.find("answer"))();
}

long files_with(const std::string& folder, const char* suffix)
{
    long n = 0;
    for (const auto& f : std::filesystem::directory_iterator(folder))
        n += f.path().extension() == suffix;
    return n;
}

/// Mounts file systems that this process alone sees. False where the system does not allow it.
bool can_mount()
{
    const std::string uid = std::to_string(geteuid()), gid = std::to_string(getegid());
    if (unshare(CLONE_NEWNS) != 0 &&
        (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !jit::write_file("/proc/self/setgroups", "deny") ||
         !jit::write_file("/proc/self/uid_map", uid + " " + uid + " 1") ||
         !jit::write_file("/proc/self/gid_map", gid + " " + gid + " 1")))
        return false;
    return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}
bool mount_cache(const jit::settings& how, long bytes, unsigned long flags = 0)
{
    const std::string options = "mode=700,size=" + std::to_string(bytes);
    return mount("tegula", how.cache.folder().c_str(), "tmpfs", flags, options.c_str()) == 0;
}

constexpr int not_allowed = 77;

/// run() in a process of its own: 0 where it is fine, else a number of what is wrong.
template <class Run>
void check_in_child(const Run& run)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(can_mount() ? run() : not_allowed);
    int ended = 0;
    REQUIRE(waitpid(child, &ended, 0) == child);
    REQUIRE(WIFEXITED(ended));
    if (WEXITSTATUS(ended) == not_allowed)
        WARN("this system does not let a process mount a file system");
    else
        CHECK(WEXITSTATUS(ended) == 0);
}

int answer_in_child(const jit::compiled& c)
{
    const jit::loaded l = c.status ? jit::load(c) : jit::loaded{};
    return l.status && c.status ? reinterpret_cast<int (*)()>(l.find("answer"))() : -1;
}

} // namespace

TEST_CASE("SHA-256 of the examples of FIPS 180-4")
{
    CHECK(jit::sha256().digits() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(jit::sha256().add("abc").digits() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(jit::sha256().add("abcdbcdecdefdefgefghfghighijhijkijkljklm").add("klmnlmnomnopnopq").digits() ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    jit::sha256 million;
    for (int i = 0; i < 1000; ++i)
        million.add(std::string(1000, 'a'));
    CHECK(million.digits() == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a module comes from the cache until a header, the source or a flag changes")
{
    const scratch folder;
    const jit::settings how = settings_in(folder);
    write_header(folder, "1", 100);
    jit::compiled c = compile_unit(answer, host(), how);
    INFO(c.status.message());
    REQUIRE(c.status);
    CHECK_FALSE(c.from_cache);
    CHECK(c.warning == "");
    CHECK(answer_of(c) == 1);
    CHECK(compile_unit(answer, host(), how).from_cache);

    // Length and time stay the same, so only the content tells. It is read because the file is young.
    write_header(folder, "2", 0);
    sleep(0);
    jit::compiled changed = compile_unit(answer, host(), how);
    CHECK_FALSE(changed.from_cache);
    jit::unit other = answer;
    other.source += "// more\n";
    write_header(folder, "2", 100);
    CHECK_FALSE(compile_unit(other, host(), how).from_cache);
    CHECK(compile_unit(other, host(), how).from_cache);
    other.flags = {"-DMORE"};
    CHECK_FALSE(compile_unit(other, host(), how).from_cache);
}

TEST_CASE("a header that changes while it is compiled is not believed")
{
    const scratch folder;
    const jit::settings how = settings_in(folder);
    write_header(folder, "1", -100); // a later time than the compilation's begin
    const jit::compiled c = compile_unit(answer, host(), how);
    REQUIRE(c.status);
    CHECK(c.warning.find("a header changed") != std::string::npos);
    CHECK(files_with(how.cache.folder(), ".so") == 0);
    CHECK(answer_of(c) == 1);
    CHECK_FALSE(std::filesystem::exists(c.folder));
}

TEST_CASE("headers that are newer than the program")
{
    const scratch folder;
    const jit::settings how = settings_in(folder);
    std::filesystem::create_directories(folder / "include/tegula/emulator");
    const auto newest = [&](const char* name) {
        const std::string header = folder / "include/" + std::string(name);
        REQUIRE(jit::write_file(header, "const int value = 1;\n"));
        const timespec both[] = {{::time(nullptr) - 50, 0}, {::time(nullptr) - 50, 0}};
        REQUIRE(utimensat(AT_FDCWD, header.c_str(), both, 0) == 0);
        return compile_unit({"#include <" + std::string(name) + ">\n", "", name}, host(), how);
    };
    const jit::compiled own = newest("own.hpp"), shared = newest("tegula/emulator/state.hpp");
    CHECK(own.newest_header > 0);
    CHECK(own.newest_shared == 0);
    CHECK(shared.newest_shared == shared.newest_header);
    CHECK(jit::check_age(0));
    CHECK_FALSE(jit::check_age(jit::nanoseconds_now() + 1000000000));
}

TEST_CASE("a damaged entry is compiled again and never loaded")
{
    const scratch folder;
    const jit::settings how = settings_in(folder);
    write_header(folder, "7", 100);
    const jit::compiled c = compile_unit(answer, host(), how);
    REQUIRE(c.status);
    const std::string module = c.file, text = module.substr(0, module.size() - 3) + ".manifest";
    const std::string good_module = *jit::read_file(module), good_text = *jit::read_file(text);
    const auto damage = [&](const std::string& path, const std::string& bytes) {
        REQUIRE(jit::write_file(module, good_module));
        REQUIRE(jit::write_file(text, good_text));
        REQUIRE(compile_unit(answer, host(), how).from_cache);
        REQUIRE(jit::write_file(path, bytes));
        const jit::compiled again = compile_unit(answer, host(), how);
        REQUIRE(again.status);
        CHECK_FALSE(again.from_cache);
        CHECK(answer_of(again) == 7);
    };
    damage(module, "");
    damage(module, good_module.substr(0, good_module.size() / 2));
    std::string flipped = good_module;
    flipped[flipped.size() / 2] ^= 1;
    damage(module, flipped);
    damage(text, "");
    damage(text, good_text.substr(0, good_text.size() - 3)); // without its last line
    damage(text, "tegula-jit 0\nend\n");
    damage(text, good_text + "more\n");
}

TEST_CASE("eight processes at once compile once")
{
    const scratch folder;
    const jit::settings how = settings_in(folder);
    write_header(folder, "5", 100);
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            const jit::compiled c = compile_unit(answer, host(), how);
            _exit(!c.status ? 2 : answer_of(c) != 5 ? 3 : c.from_cache ? 0 : 1);
        }
        children.push_back(child);
    }
    int compiled = 0;
    for (const pid_t child : children) {
        int ended = 0;
        REQUIRE(waitpid(child, &ended, 0) == child);
        REQUIRE(WIFEXITED(ended));
        CHECK(WEXITSTATUS(ended) <= 1);
        compiled += WEXITSTATUS(ended) == 1;
    }
    CHECK(compiled == 1);
    CHECK(files_with(how.cache.folder(), ".so") == 1);
    CHECK(files_with(how.cache.folder(), ".part") == 0);
}

TEST_CASE("a compiler that is killed leaves nothing")
{
    const scratch folder;
    const jit::settings how = settings_in(folder);
    REQUIRE(jit::write_file(folder / "compiler", "#!/bin/sh\necho half > module.so\nkill -9 $$\n"));
    chmod((folder / "compiler").c_str(), 0700);
    jit::toolchain killed = host();
    killed.compiler = folder / "compiler";
    const jit::compiled c = compile_unit(answer, killed, how);
    CHECK_FALSE(c.status);
    CHECK(std::string(c.status.message()).find("was ended by signal 9") != std::string::npos);
    CHECK(files_with(how.cache.folder(), ".so") == 0);
    CHECK(files_with(how.cache.folder(), ".manifest") == 0);

    killed.compiler = folder / "nobody";
    CHECK(std::string(compile_unit(answer, killed, how).status.message()).find("did not start") != std::string::npos);
}

namespace {

/// Runs run() in a process and kills it at its system call number `last`. How many calls it had made; -1 where the system
/// does not let a process watch another.
template <class Run>
long kill_at_call(long last, const Run& run)
{
    const pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
            _exit(not_allowed);
        raise(SIGSTOP);
        run();
        _exit(0);
    }
    int state = 0;
    long calls = 0, signal = 0;
    if (waitpid(child, &state, 0) != child || !WIFSTOPPED(state))
        return -1;
    ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD);
    while (calls < last && ptrace(PTRACE_SYSCALL, child, nullptr, signal) == 0 && waitpid(child, &state, 0) == child &&
           WIFSTOPPED(state)) {
        const bool call = WSTOPSIG(state) == (SIGTRAP | 0x80);
        calls += call;
        signal = call ? 0 : WSTOPSIG(state);
    }
    kill(child, SIGKILL);
    waitpid(child, &state, 0);
    return calls;
}

} // namespace

TEST_CASE("a process that is killed at any stage leaves no half entry")
{
    const scratch folder;
    const jit::settings how = settings_in(folder);
    write_header(folder, "14", 100);
    const auto compile = [&] { static_cast<void>(compile_unit(answer, host(), how)); };
    const long calls = kill_at_call(LONG_MAX, compile);
    if (calls < 0) {
        WARN("this system does not let a process watch another");
        return;
    }
    REQUIRE(answer_of(compile_unit(answer, host(), how)) == 14);
    for (long last = 1; last < calls; last += std::max(calls / 24, 1L)) {
        INFO("killed at call " << last << " of " << calls);
        std::filesystem::remove_all(how.cache.folder());
        mkdir(how.cache.folder().c_str(), 0700);
        kill_at_call(last, compile);
        CHECK(files_with(how.cache.folder(), ".manifest") <= files_with(how.cache.folder(), ".so"));
        const jit::compiled c = compile_unit(answer, host(), how);
        REQUIRE(c.status);
        CHECK(answer_of(c) == 14);
    }
}

TEST_CASE("no cache can be written: the module is compiled, used and not kept")
{
    const scratch folder;
    const jit::settings made = settings_in(folder);
    write_header(folder, "9", 100);
    // A folder in the place of the module: it takes no file, for root either.
    const jit::compiled first = compile_unit(answer, host(), made);
    REQUIRE(first.status);
    REQUIRE(std::filesystem::remove(first.file));
    REQUIRE(std::filesystem::create_directories(first.file + "/full"));
    const jit::compiled c = compile_unit(answer, host(), made);
    REQUIRE(c.status);
    CHECK(c.warning.find("takes no file") != std::string::npos);
    CHECK(answer_of(c) == 9);
    CHECK_FALSE(std::filesystem::exists(c.folder));
}

TEST_CASE("a full file system: no half entry, and the module is used")
{
    const scratch folder;
    const jit::settings how = settings_in(folder);
    write_header(folder, "11", 100);
    const jit::compiled whole = compile_unit(answer, host(), how);
    REQUIRE(whole.status);
    const long page = sysconf(_SC_PAGESIZE);
    const long pages = (static_cast<long>(std::filesystem::file_size(whole.file)) + page - 1) / page;
    // From room for next to nothing to room for the module, but not for the list of headers behind it.
    for (const long room : {1L, pages / 2, pages, pages + 1, pages + 2})
        check_in_child([&] {
            if (!mount_cache(how, room * page))
                return not_allowed;
            for (int i = 0; i < 2; ++i)
                if (answer_in_child(compile_unit(answer, host(), how)) != 11)
                    return 1;
            const long modules = files_with(how.cache.folder(), ".so");
            return modules != files_with(how.cache.folder(), ".manifest") ? 2 : modules > 1 ? 3 : 0;
        });
}

TEST_CASE("a read-only file system: what is there is used, and what is new is not kept")
{
    const scratch folder;
    const jit::settings how = settings_in(folder);
    write_header(folder, "12", 100);
    check_in_child([&] {
        if (!mount_cache(how, 10000000))
            return not_allowed;
        if (answer_in_child(compile_unit(answer, host(), how)) != 12)
            return 1;
        if (!mount_cache(how, 10000000, MS_REMOUNT | MS_RDONLY))
            return not_allowed;
        const jit::compiled kept = compile_unit(answer, host(), how);
        if (!kept.from_cache || answer_in_child(kept) != 12)
            return 2;
        write_header(folder, "13", 50);
        const jit::compiled changed = compile_unit(answer, host(), how);
        return changed.from_cache ? 3 : answer_in_child(changed) != 13 ? 4 : changed.warning.empty() ? 5 : 0;
    });
}

TEST_CASE("the cache's folder is the user's own")
{
    const scratch folder;
    const auto why = [](const jit::cache& c) { return std::string(c.usable().message()); };
    const jit::cache good(folder / "a/b/c");
    CHECK(good.usable());
    struct stat s = {};
    REQUIRE(stat(good.folder().c_str(), &s) == 0);
    CHECK((s.st_mode & 0777) == 0700);
    chmod(good.folder().c_str(), 0770);
    CHECK(why(jit::cache(good.folder())).find("chmod 700") != std::string::npos);
    REQUIRE(jit::write_file(folder / "file", "x"));
    CHECK(why(jit::cache(folder / "file")).find("is no folder") != std::string::npos);
    CHECK(why(jit::cache("")).find("set TEGULA_CACHE") != std::string::npos);
    if (geteuid() != 0)
        CHECK(why(jit::cache("/")).find("another user") != std::string::npos);
}

TEST_CASE("what was used longest ago goes when the cache is too large")
{
    const scratch folder;
    const jit::cache c(folder / "cache", 2500);
    REQUIRE(jit::write_file(folder / "module", std::string(1000, 'x')));
    for (const char* key : {"a", "b", "c"}) {
        REQUIRE(c.keep(key, folder / "module", {key, {}, 0, {}}));
        const timespec both[] = {{::time(nullptr) + key[0] - 'z', 0}, {::time(nullptr) + key[0] - 'z', 0}};
        utimensat(AT_FDCWD, c.file(key, ".manifest").c_str(), both, 0);
    }
    CHECK(c.entries().size() == 2);
    CHECK_FALSE(c.find("a"));
    CHECK(c.find("b"));
    CHECK(c.find("c"));
    CHECK(c.clear() == 2);
    CHECK(c.entries().empty());
}

TEST_CASE("names of files with blanks, signs and continued lines in a dependency file")
{
    const scratch folder;
    REQUIRE(jit::write_file(
        folder / "d", "module.so: main.cpp /a/b.hpp \\\n /c\\ d/e.hpp \\\n  /f$$g/./h.hpp source.hpp\n/a/b.hpp:\n"));
    const auto files = jit::read_dependencies(folder / "d");
    REQUIRE(files);
    CHECK(*files == std::vector<std::string>{"/a/b.hpp", "/c d/e.hpp", "/f$g/h.hpp"});
    CHECK_FALSE(jit::read_dependencies(folder / "none"));
}
